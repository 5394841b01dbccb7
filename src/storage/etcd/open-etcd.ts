import type { Logger } from '../../lib/log.ts'
import type { CallFailure } from '../../protocols/grpc/call-failure.ts'
import type { Backend, GuardedWrite, WriteResult } from '../backend.ts'
import { BackendError } from '../backend.ts'
import type { Key, Revision } from '../revision.ts'
import { openConnection } from './connection.ts'
import { isLeaseNotFound, wasNeverSent } from './errors.ts'
import { openLeases } from './leases.ts'
import { decodeLongRange, decodeRange, decodeSize, decodeWrite, encodeGuardedWrite, encodeNumber, encodeRange } from './messages.ts'
import type { EtcdOptions } from './options.ts'
import { settleWrite } from './settle.ts'
import { watchEtcd } from './watch.ts'

/** Milliseconds given to finding out what became of a write whose answer was lost. */
const settleTimeout = 3000

/**
 * The store in etcd. Resolves without waiting for etcd: calls wait for it, each up to its deadline, and everything recovers by itself when etcd returns.
 * gRPC and `etcd3` are loaded by this call, not by the import: a start on the embedded store does without them.
 */
export async function openEtcd(options: EtcdOptions, logger: Logger): Promise<Backend> {
  const connection = await openConnection(options)
  const leases = openLeases(connection)
  /** Ends watches when the store is closed. */
  const closing = new AbortController()

  async function get(key: Key, signal: AbortSignal, at: Revision | undefined, deadline = connection.deadline()) {
    const request = encodeRange({ start: key, ...(at !== undefined && { at }) })
    const { items, revision } = decodeRange(await connection.call('/etcdserverpb.KV/Range', request, { signal, deadline, repeatable: true }))
    return { item: items[0], revision }
  }

  async function writeOnce(write: GuardedWrite, signal: AbortSignal, deadline: number): Promise<WriteResult> {
    const call = { signal, deadline, repeatable: false }
    const lease = write.value && write.ttlSeconds ? await leases.get(write.ttlSeconds, call) : 0n
    const { succeeded, revision, current } = decodeWrite(await connection.call('/etcdserverpb.KV/Txn', encodeGuardedWrite(write, lease), call))
    return succeeded ? { ok: true, revision } : { ok: false, current, revision }
  }

  async function settle(write: GuardedWrite, signal: AbortSignal, error: BackendError): Promise<WriteResult> {
    const deadline = Date.now() + settleTimeout
    let settled: WriteResult | undefined
    try {
      settled = await settleWrite(write, at => get(write.key, signal, at, deadline))
    } catch (cause) {
      logger.debug(2, 'a write remains in doubt', { key: write.key, error: error.message, cause: String(cause) })
    }
    if (!settled) throw error
    logger.debug(2, 'settled a write whose answer was lost', { key: write.key, error: error.message, happened: settled.ok })
    return settled
  }

  async function write(guarded: GuardedWrite, signal: AbortSignal): Promise<WriteResult> {
    const deadline = connection.deadline()
    for (let attempt = 0; ; attempt++) {
      try {
        return await writeOnce(guarded, signal, deadline)
      } catch (error) {
        if (!(error instanceof BackendError)) throw error
        if (attempt === 0 && guarded.ttlSeconds && isLeaseNotFound(error)) {
          leases.forget(guarded.ttlSeconds)
          continue
        }
        const doubtful = (error.code === 'unavailable' || error.code === 'timeout') && !wasNeverSent(error.cause as CallFailure | undefined)
        if (!doubtful) throw error
        return settle(guarded, signal, error)
      }
    }
  }

  return {
    get: (key, signal, at) => get(key, signal, at),
    async range(query, signal) {
      const bytes = await connection.call('/etcdserverpb.KV/Range', encodeRange(query), { signal, deadline: connection.deadline(), repeatable: true })
      return decodeLongRange(bytes)
    },
    write,
    async *watch(watch, signal) {
      const either = AbortSignal.any([signal, closing.signal])
      yield* watchEtcd(connection, watch, either)
      if (closing.signal.aborted && !signal.aborted) throw new BackendError('unavailable', 'the store is closed')
    },
    async currentRevision(signal) {
      return (await get('health' as Key, signal, undefined)).revision
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
      await get('health' as Key, signal, undefined)
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
