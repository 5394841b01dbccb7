import { setMaxListeners } from 'node:events'
import type { ResourceId } from '../catalog/definition.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { formatMicroTime, timeMillis } from '../meta/time.ts'
import type { ControllerEnvironment } from './controller.ts'
import { pause } from './controller.ts'

const LEASES: ResourceId = { group: 'coordination.k8s.io', resource: 'leases' }
const NAMESPACE = 'kube-system'

export interface LeadershipOptions {
  /** Name of the Lease in kube-system. */
  readonly name: string
  /** Unique among the servers. */
  readonly identity: string
  /** A holder that has not renewed for this long is taken to be gone. */
  readonly leaseMs: number
  readonly renewMs: number
}

/**
 * Runs `work` while this server holds the Lease, and ends it (by its signal) when it no longer does: of several servers on one etcd, one compacts, repairs and
 * runs the controllers. Ends with `signal`, and gives the Lease up then.
 * https://kubernetes.io/docs/concepts/architecture/leases/#leader-election
 */
export async function whileLeading(
  env: ControllerEnvironment,
  options: LeadershipOptions,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let term: { readonly end: AbortController; readonly done: Promise<void> } | undefined
  let renewedAt = 0
  const endTerm = async (): Promise<void> => {
    term?.end.abort()
    await term?.done
    term = undefined
  }
  while (!signal.aborted) {
    const held = await tryHold(env, options).catch(error => {
      env.logger.debug(2, 'the lease cannot be renewed', { lease: options.name, error: (error as Error).message })
      // Nobody else takes it before it has run out.
      return term !== undefined && env.clock.now() - renewedAt < options.leaseMs - options.renewMs
    })
    if (held) renewedAt = env.clock.now()
    if (held && term === undefined) {
      env.logger.info('leading', { lease: options.name, identity: options.identity })
      const end = new AbortController()
      setMaxListeners(0, end.signal) // a controller that pauses listens
      term = { end, done: work(end.signal) }
    } else if (!held) await endTerm()
    await pause(options.renewMs, signal)
  }
  const led = term !== undefined
  await endTerm()
  if (led) await release(env, options).catch(error => env.logger.debug(2, 'the lease is not given up', { error: (error as Error).message }))
}

async function tryHold(env: ControllerEnvironment, options: LeadershipOptions): Promise<boolean> {
  const now = env.clock.now()
  const found = await env.access.get(LEASES, NAMESPACE, options.name).catch(error => {
    if (isStatusError(error, 'NotFound')) return undefined
    throw error
  })
  try {
    if (found === undefined) {
      await env.access.create(LEASES, NAMESPACE, leaseObject(options, now))
      return true
    }
    const mine = found.spec?.holderIdentity === options.identity
    if (!mine && !isFree(found, now)) return false
    // The version that was read guards the write: of two servers that find it free, one loses.
    const next = { ...leaseObject(options, now, mine ? found : undefined, found.spec?.leaseTransitions ?? 0), metadata: found.metadata }
    await env.access.update(LEASES, NAMESPACE, options.name, () => next)
    return true
  } catch (error) {
    if (isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists')) return false
    throw error
  }
}

function isFree({ spec }: KubeObject, now: number): boolean {
  if (!spec?.holderIdentity) return true
  const renewed = timeMillis(spec.renewTime)
  return renewed === undefined || now - renewed > (spec.leaseDurationSeconds ?? 0) * 1000
}

function leaseObject(options: LeadershipOptions, now: number, mine?: KubeObject, transitions = -1): KubeObject {
  const time = formatMicroTime(now)
  return {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: options.name, namespace: NAMESPACE },
    spec: {
      holderIdentity: options.identity,
      leaseDurationSeconds: Math.ceil(options.leaseMs / 1000),
      acquireTime: mine?.spec?.acquireTime ?? time,
      renewTime: time,
      leaseTransitions: mine ? (mine.spec?.leaseTransitions ?? 0) : transitions + 1,
    },
  }
}

async function release(env: ControllerEnvironment, options: LeadershipOptions): Promise<void> {
  await env.access.update(LEASES, NAMESPACE, options.name, lease =>
    lease.spec?.holderIdentity === options.identity ? { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } } : undefined,
  )
}
