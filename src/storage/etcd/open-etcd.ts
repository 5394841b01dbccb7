import type { Logger } from '../../lib/log.ts'
import type { Backend } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { key } from '../revision.ts'
import { etcdCompactor } from './compaction.ts'
import { openConnection } from './connection.ts'
import { getKey } from './get.ts'
import { decodeLongRange, decodeStatus, encodeRange } from './messages.ts'
import type { EtcdOptions } from './options.ts'
import { etcdPageReader } from './page-reader.ts'
import { etcdRangeStream } from './range-stream.ts'
import { watchEtcd } from './watch.ts'
import { etcdWriter } from './write.ts'

const LEASE_REUSE_SECONDS = 60

/**
 * Opens a store in etcd. Resolves without waiting for etcd: each call waits for it up to its own deadline, and
 * everything recovers by itself when etcd is back. The call loads gRPC and `etcd3`, which the import does not, so that
 * a server with the embedded store starts without them.
 */
export async function openEtcd(options: EtcdOptions, logger: Logger): Promise<Backend> {
  const connection = await openConnection(options)
  /**
   * Key that is read to check the store and its revision. It is below the prefix, because the user may lack the right
   * to read other keys.
   */
  const health = key(`${options.prefix ?? '/registry'}/health`)
  /** Ends watches when the store is closed. */
  const closing = new AbortController()

  const write = etcdWriter(connection, logger, options.leaseReuseSeconds ?? LEASE_REUSE_SECONDS)

  return {
    get: (key, signal, at) => getKey(connection, key, { signal, at }),
    async range(query, signal) {
      const bytes = await connection.call('/etcdserverpb.KV/Range', encodeRange(query), {
        signal,
        deadline: connection.deadline(),
        repeatable: true,
      })
      return decodeLongRange(bytes, query.limit)
    },
    pageReader: () => etcdPageReader(connection),
    ...(options.rangeStream && { rangeStream: etcdRangeStream(connection) }),
    write,
    async *watch(watch, signal) {
      const either = AbortSignal.any([signal, closing.signal])
      yield* watchEtcd(connection, watch, either)
      if (closing.signal.aborted && !signal.aborted) throw new BackendError('unavailable', 'the store is closed')
    },
    async currentRevision(signal) {
      return (await getKey(connection, health, { signal })).revision
    },
    watchProof: async signal => ((await connection.isProgressTrusted(signal)) ? 'progress' : 'revisions'),
    compact: etcdCompactor(connection),
    async check(signal) {
      await getKey(connection, health, { signal })
    },
    async size(signal) {
      const call = { signal, deadline: connection.deadline(), repeatable: true }
      return decodeStatus(await connection.call('/etcdserverpb.Maintenance/Status', Buffer.alloc(0), call)).size
    },
    async close() {
      closing.abort()
      connection.close()
    },
  }
}
