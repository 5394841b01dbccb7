import type { Lease } from '../api/coordination/v1.types.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import type { ResourceAccess } from '../catalog/resource-access.ts'
import type { TimerClock } from '../lib/clock.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { onAbort } from '../lib/on-abort.ts'
import { pause } from '../lib/pause.ts'
import { isStatusError } from '../meta/status.ts'
import { formatMicroTime } from '../meta/time.ts'
import { LEASES } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { elapsed, type Instant, Term } from './term.ts'

const NAMESPACE = 'kube-system'
/**
 * Delay after a failed renewal, in milliseconds. Short, since the store may be back soon, or a new cluster may have
 * just created kube-system.
 */
const RETRY_MS = 250
/** Timeout for releasing the Lease, in milliseconds. Afterwards it expires by itself. */
const RELEASE_MS = 1000

/** Configuration of leader election. */
export interface LeadershipOptions {
  /** Name of the Lease in kube-system. */
  readonly name: string
  /** Unique among servers and restarts. */
  readonly identity: string
  /** Duration of the Lease, in milliseconds. A holder that has not renewed it for this long has lost it. */
  readonly leaseMs: number
  /**
   * A holder that has not renewed the Lease for this long stops its work, in milliseconds. Shorter than `leaseMs` by
   * the time that the last calls may take to arrive.
   */
  readonly stopMs: number
  /** Interval between renewals, in milliseconds. */
  readonly renewMs: number
}

/** Environment of leader election. */
export interface LeadershipEnvironment {
  /** Returns an access whose calls are aborted with the signal. */
  access(signal: AbortSignal): ResourceAccess
  readonly clock: TimerClock
  /** Monotonic time in milliseconds. */
  monotonic(): number
  readonly logger: Logger
}

/** Result of an attempt. `unknown`: there was no response in time. */
type LeaseOutcome = 'held' | 'lost' | 'unknown'

/**
 * Runs `work` while this server holds the Lease, so that of several servers on one etcd only one compacts, repairs and
 * runs the controllers. The signal of `work` aborts when another server holds the Lease, or when it could not be
 * renewed for `stopMs`, whether the store is unavailable, the renewal hangs or the process was suspended. From then on,
 * calls of the work are rejected and those in flight are aborted; `fence` is for those that do not use the access of
 * `env`.
 *
 * As in client-go's leader election, a server takes over a Lease that it has observed unchanged for its whole duration
 * by its own clock, so that clocks of several machines need not agree. Ends with `signal`, and releases the Lease then.
 * https://kubernetes.io/docs/concepts/architecture/leases/#leader-election
 */
export async function whileLeading(
  env: LeadershipEnvironment,
  options: LeadershipOptions,
  signal: AbortSignal,
  work: (env: ControllerEnvironment, signal: AbortSignal, fence: AbortSignal) => Promise<void>,
): Promise<void> {
  const now = (): Instant => ({ wall: env.clock.now(), monotonic: env.monotonic() })
  const others = new Observation(env.monotonic)
  const fields = { lease: options.name, identity: options.identity }
  let current: { readonly term: Term; readonly done: Promise<void> } | undefined

  const begin = (from: Instant): void => {
    env.logger.info('leading', fields)
    const term = new Term(from, options.stopMs, now)
    const done = work({ access: env.access(term.fence), clock: env.clock, logger: env.logger }, term.signal, term.fence)
    current = { term, done: done.then(() => env.logger.info('no longer leading', fields)) }
  }
  const end = async (): Promise<void> => {
    if (current === undefined) return
    current.term.stop()
    await current.done
    current = undefined
  }
  const ask = async (): Promise<LeaseOutcome> => {
    const limit = new AbortController()
    const giveUp = (): void => limit.abort()
    const forget = onAbort(signal, giveUp)
    const timer = setTimeout(giveUp, current?.term.leftMs ?? options.stopMs)
    try {
      return (await tryHold(env.access(limit.signal), options, env.clock.now(), others)) ? 'held' : 'lost'
    } catch (error) {
      env.logger.debug(2, 'cannot renew the lease, retrying', { lease: options.name, error: errorMessage(error) })
      return 'unknown'
    } finally {
      clearTimeout(timer)
      forget()
    }
  }

  while (!signal.aborted) {
    const asked = now()
    const outcome = await ask()
    const fresh = elapsed(asked, now()) < options.stopMs
    if (outcome === 'lost' || current?.term.over) await end()
    if (outcome === 'held' && fresh && !signal.aborted) {
      if (current === undefined) begin(asked)
      else current.term.extend(asked)
    }
    await pause(outcome === 'unknown' ? Math.min(RETRY_MS, options.renewMs) : options.renewMs, signal)
  }
  const led = current !== undefined
  await end()
  if (led)
    await release(env.access(AbortSignal.timeout(RELEASE_MS)), options).catch(error =>
      env.logger.debug(2, 'cannot release the lease', { error: error.message }),
    )
}

/** Records since when another server's Lease has been observed unchanged. */
class Observation {
  readonly #monotonic: () => number
  #spec = ''
  #since = 0

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** Whether the Lease has been unchanged for its duration. A change restarts the observation. */
  hasRunOut({ spec }: Lease): boolean {
    const text = JSON.stringify(spec)
    if (text !== this.#spec) {
      this.#spec = text
      this.#since = this.#monotonic()
    }
    return this.#monotonic() - this.#since > (spec.leaseDurationSeconds ?? 0) * 1000
  }
}

/**
 * Creates, renews or takes over the Lease. A Lease is expired if its record has not changed for its duration by this
 * server's clock. Resolves to whether this server holds it.
 */
async function tryHold(access: ResourceAccess, options: LeadershipOptions, now: number, others: Observation): Promise<boolean> {
  const found = await getKind(access, LEASES, NAMESPACE, options.name).catch(error => {
    if (isStatusError(error, 'NotFound')) return undefined
    throw error
  })
  try {
    if (found === undefined) {
      await access.create(LEASES, NAMESPACE, newLease(options, now))
      return true
    }
    const mine = found.spec.holderIdentity === options.identity
    if (!mine && found.spec.holderIdentity && !others.hasRunOut(found)) return false
    // The resourceVersion guards the write: if two servers find the Lease free, one fails.
    const next = { ...newLease(options, now), metadata: found.metadata }
    if (mine) next.spec.acquireTime = found.spec.acquireTime ?? formatMicroTime(now)
    next.spec.leaseTransitions = (found.spec.leaseTransitions ?? 0) + (mine ? 0 : 1)
    await updateKind(access, LEASES, { namespace: NAMESPACE, name: options.name }, () => next)
    return true
  } catch (error) {
    if (isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists')) return false
    throw error
  }
}

/** Lease as its first holder writes it. */
function newLease(options: LeadershipOptions, now: number): Lease {
  const time = formatMicroTime(now)
  return {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: options.name, namespace: NAMESPACE },
    spec: {
      holderIdentity: options.identity,
      leaseDurationSeconds: Math.ceil(options.leaseMs / 1000),
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    },
  }
}

/** Releases the Lease at shutdown, so that another server need not wait until it expires. */
async function release(access: ResourceAccess, options: LeadershipOptions): Promise<void> {
  await updateKind(access, LEASES, { namespace: NAMESPACE, name: options.name }, lease =>
    lease.spec.holderIdentity === options.identity
      ? { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } }
      : undefined,
  )
}
