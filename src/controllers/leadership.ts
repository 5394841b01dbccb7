import { getKind, updateKind } from '../catalog/define.ts'
import type { ResourceAccess } from '../catalog/definition.ts'
import type { TimerClock } from '../lib/clock.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { onAbort } from '../lib/on-abort.ts'
import { pause } from '../lib/pause.ts'
import { isStatusError } from '../meta/status.ts'
import { formatMicroTime } from '../meta/time.ts'
import type { Lease } from '../resources/coordination/v1.types.ts'
import { LEASES } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { elapsed, type Instant, Term } from './term.ts'

const NAMESPACE = 'kube-system'
/** Where no answer came, the next is asked for soon: the store is back, or a new cluster has its namespaces. */
const RETRY_MS = 250
/** A Lease is given up in this time, or runs out. */
const RELEASE_MS = 1000

/** Who competes for which Lease, and for how long it is held. */
export interface LeadershipOptions {
  /** Name of the Lease in kube-system. */
  readonly name: string
  /** Unique among the servers, and new with each start. */
  readonly identity: string
  /** A holder that has not renewed for this long is taken to be gone. */
  readonly leaseMs: number
  /** A holder that could not renew for this long stops its work: shorter than `leaseMs` by what the last calls of the work may take to arrive. */
  readonly stopMs: number
  readonly renewMs: number
}

/** What runs while the Lease is held. */
export interface LeadershipEnvironment {
  /** Calls made with it end with the signal. */
  access(signal: AbortSignal): ResourceAccess
  readonly clock: TimerClock
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): number
  readonly logger: Logger
}

/** `unknown`: no answer, or one that came too late. */
type Outcome = 'held' | 'lost' | 'unknown'

/**
 * Runs `work` while this server holds the Lease: of several servers on one etcd, one compacts, repairs and runs the controllers. The work has to end with its signal, which
 * aborts when another holds the Lease, and when it could not be renewed for `stopMs`, be it that the store is away, that the renewal hangs or that the process stood
 * still. Calls of the work are refused from then on, and those that are on their way are broken off.
 *
 * As client-go's election does, a server takes the Lease of another when it has seen it unchanged for as long as it lasts by its own clock, so that clocks of several
 * machines need not agree. Ends with `signal`, and gives the Lease up then.
 * https://kubernetes.io/docs/concepts/architecture/leases/#leader-election
 */
export async function whileLeading(
  env: LeadershipEnvironment,
  options: LeadershipOptions,
  signal: AbortSignal,
  work: (env: ControllerEnvironment, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const now = (): Instant => ({ wall: env.clock.now(), monotonic: env.monotonic() })
  const others = new Observation(env.monotonic)
  const fields = { lease: options.name, identity: options.identity }
  let current: { readonly term: Term; readonly done: Promise<void> } | undefined

  const begin = (from: Instant): void => {
    env.logger.info('leading', fields)
    const term = new Term(from, options.stopMs, now)
    const done = work({ access: env.access(term.fence), clock: env.clock, logger: env.logger }, term.signal)
    current = { term, done: done.then(() => env.logger.info('no longer leading', fields)) }
  }
  const end = async (): Promise<void> => {
    if (current === undefined) return
    current.term.stop()
    await current.done
    current = undefined
  }
  const ask = async (): Promise<Outcome> => {
    const limit = new AbortController()
    const giveUp = (): void => limit.abort()
    const forget = onAbort(signal, giveUp)
    const timer = setTimeout(giveUp, current?.term.leftMs ?? options.stopMs)
    try {
      return (await tryHold(env.access(limit.signal), options, env.clock.now(), others)) ? 'held' : 'lost'
    } catch (error) {
      env.logger.debug(2, 'the lease cannot be renewed', { lease: options.name, error: errorMessage(error) })
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
      env.logger.debug(2, 'the lease is not given up', { error: error.message }),
    )
}

/** Since when a server has seen another's Lease as it is. */
class Observation {
  private readonly monotonic: () => number
  private spec = ''
  private since = 0

  constructor(monotonic: () => number) {
    this.monotonic = monotonic
  }

  hasRunOut({ spec }: Lease): boolean {
    const text = JSON.stringify(spec)
    if (text !== this.spec) {
      this.spec = text
      this.since = this.monotonic()
    }
    return this.monotonic() - this.since > (spec.leaseDurationSeconds ?? 0) * 1000
  }
}

/** Creates, renews or takes over the Lease. An expired Lease is recognized by this server’s clock: by how long its record has not changed. Resolves with whether it is held. */
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
    // The version that was read guards the write: of two servers that find it free, one loses.
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

/** The Lease as the first holder writes it. */
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

/** Gives the Lease up at the end, so that another server need not wait until it has expired. */
async function release(access: ResourceAccess, options: LeadershipOptions): Promise<void> {
  await updateKind(access, LEASES, { namespace: NAMESPACE, name: options.name }, lease =>
    lease.spec.holderIdentity === options.identity ? { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } } : undefined,
  )
}
