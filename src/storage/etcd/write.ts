import type { Logger } from '../../lib/log.ts'
import { callFailureOf } from '../../protocols/grpc/call-failure.ts'
import type { Backend, GuardedWrite, WriteResult } from '../backend.ts'
import { BackendError } from '../backend.ts'
import type { EtcdConnection } from './connection.ts'
import { creationRevision } from './creation-revision.ts'
import { isLeaseNotFound, wasNeverSent } from './errors.ts'
import { getKey } from './get.ts'
import { openLeases } from './leases.ts'
import { decodeWrite, encodeGuardedWrite } from './messages.ts'
import { settleWrite } from './settle.ts'

/** Timeout for determining the outcome of a write whose response was lost, in milliseconds. */
const SETTLE_TIMEOUT = 3000

/** Creates a log of the quota of etcd: the first write that it refuses, and the first that is accepted again. */
function quotaReports(logger: Logger): { refused(error: BackendError): void; accepted(): void } {
  let failing: string | undefined
  return {
    refused({ message }) {
      if (failing === undefined)
        logger.error('etcd rejects writes except deletions: its quota is exceeded; compact and defragment it, then disarm its alarm', {
          error: message,
        })
      failing = message
    },
    accepted() {
      if (failing !== undefined) logger.info('etcd accepts writes again', { before: failing })
      failing = undefined
    },
  }
}

/**
 * Creates the function for guarded writes. If the response of a write is lost, its outcome is determined from the
 * store; the write fails if it cannot be.
 */
export function etcdWriter(connection: EtcdConnection, logger: Logger, leaseReuseSeconds: number): Backend['write'] {
  const leases = openLeases(connection, leaseReuseSeconds)
  const quota = quotaReports(logger)

  /**
   * A store that is no etcd may report a later revision than that of the write; that of a creation is then read from
   * the key.
   */
  async function writeOnce(write: GuardedWrite, signal: AbortSignal, deadline: number): Promise<WriteResult> {
    const call = { signal, deadline, repeatable: false }
    const lease = write.value && write.ttlSeconds ? await leases.get(write.ttlSeconds, call) : 0n
    const { succeeded, revision, current, isOfCluster } = decodeWrite(
      await connection.call('/etcdserverpb.KV/Txn', encodeGuardedWrite(write, lease), call),
    )
    if (!succeeded) return { ok: false, current, revision }
    if (write.value) quota.accepted()
    if (isOfCluster || write.expected !== 0 || write.value === undefined) return { ok: true, revision }
    const created = await creationRevision(write.value, revision, at => getKey(connection, write.key, { ...call, at }))
    if (created === undefined)
      throw new BackendError(
        'unavailable',
        'the key was created and has changed since: the store does not report the revision of its creation',
      )
    return { ok: true, revision: created }
  }

  return async (guarded, signal) => {
    const deadline = connection.deadline()
    for (let attempt = 0; ; attempt++) {
      try {
        return await writeOnce(guarded, signal, deadline)
      } catch (error) {
        if (!(error instanceof BackendError)) throw error
        if (error.code === 'no space') quota.refused(error)
        if (attempt === 0 && guarded.ttlSeconds && isLeaseNotFound(error)) {
          leases.forget(guarded.ttlSeconds)
          continue
        }
        if (!isDoubtful(error)) throw error
        return outcomeOf(guarded, error, { connection, logger, signal })
      }
    }
  }
}

/** Reports whether a write that failed with this error may have happened: it was sent, and its response was lost. */
const isDoubtful = ({ code, cause }: BackendError): boolean =>
  (code === 'unavailable' || code === 'timeout') && !wasNeverSent(cause === undefined ? undefined : callFailureOf(cause))

interface OutcomeParts {
  readonly connection: EtcdConnection
  readonly logger: Logger
  readonly signal: AbortSignal
}

/**
 * Determines from the store whether a write happened whose response was lost. Throws the original error if that cannot
 * be told.
 */
async function outcomeOf(write: GuardedWrite, error: BackendError, { connection, logger, signal }: OutcomeParts): Promise<WriteResult> {
  const deadline = Date.now() + SETTLE_TIMEOUT
  let settled: WriteResult | undefined
  try {
    settled = await settleWrite(write, at => getKey(connection, write.key, { signal, at, deadline }))
  } catch (cause) {
    logger.debug(2, 'the outcome of a write is unknown', { key: write.key, error: error.message, cause: String(cause) })
  }
  if (!settled) throw error
  logger.debug(2, 'determined the outcome of a write whose response was lost', {
    key: write.key,
    error: error.message,
    happened: settled.ok,
  })
  return settled
}
