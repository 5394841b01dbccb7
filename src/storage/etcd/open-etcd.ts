import type { Logger } from '../../lib/log.ts'
import type { Backend } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { key } from '../revision.ts'
import { openConnection } from './connection.ts'
import { getKey } from './get.ts'
import { decodeLongRange, decodeSize, encodeNumber, encodeRange } from './messages.ts'
import type { EtcdOptions } from './options.ts'
import { watchEtcd } from './watch.ts'
import { etcdWriter } from './write.ts'

const LEASE_REUSE_SECONDS = 60
/** A key that is read to see how the store is. */
const HEALTH = key('health')

/**
 * The store in etcd. Resolves without waiting for etcd: calls wait for it, each up to its deadline, and everything recovers by itself when etcd returns.
 * gRPC and `etcd3` are loaded by this call, not by the import: a start on the embedded store does without them.
 */
export async function openEtcd(options: EtcdOptions, logger: Logger): Promise<Backend> {
  const connection = await openConnection(options)
  /** Ends watches when the store is closed. */
  const closing = new AbortController()

  const write = etcdWriter(connection, logger, options.leaseReuseSeconds ?? LEASE_REUSE_SECONDS)

  return {
    get: (key, signal, at) => getKey(connection, key, { signal, at }),
    async range(query, signal) {
      const bytes = await connection.call('/etcdserverpb.KV/Range', encodeRange(query), { signal, deadline: connection.deadline(), repeatable: true })
      return decodeLongRange(bytes, query.limit)
    },
    write,
    async *watch(watch, signal) {
      const either = AbortSignal.any([signal, closing.signal])
      yield* watchEtcd(connection, watch, either)
      if (closing.signal.aborted && !signal.aborted) throw new BackendError('unavailable', 'the store is closed')
    },
    async currentRevision(signal) {
      return (await getKey(connection, HEALTH, { signal })).revision
    },
    async compact(before, signal) {
      try {
        await connection.call('/etcdserverpb.KV/Compact', encodeNumber(before), { signal, deadline: connection.deadline(), repeatable: true })
      } catch (error) {
        // Someone was there first.
        if (!(error instanceof BackendError && error.code === 'compacted')) throw error
      }
    },
    async check(signal) {
      await getKey(connection, HEALTH, { signal })
    },
    async size(signal) {
      return decodeSize(
        await connection.call('/etcdserverpb.Maintenance/Status', Buffer.alloc(0), { signal, deadline: connection.deadline(), repeatable: true }),
      )
    },
    async close() {
      closing.abort()
      connection.close()
    },
  }
}
