import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { ControllerEnvironment } from '../controllers/controller.ts'
import type { Refusals } from '../controllers/ensure.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import type { MetricFamily } from '../lib/metrics.ts'

/** A check of the health endpoints. Throws, with the reason, where it fails. */
export interface ReadinessCheck {
  readonly name: string
  /** Absent: all. */
  readonly endpoints?: readonly 'readyz'[]
  /** It is told of where reports are asked for in full, and never counts. */
  readonly informs?: boolean
  /** Longest time that it may take. Default: two seconds. */
  readonly timeoutMs?: number
  /** It says whether the server has begun; `/livez` gives it time. */
  readonly atStart?: boolean
  /** Optional. Says why the check still fails. Every client can read it in the report of all checks. Default: `reason withheld`. */
  readonly progress?: () => string
  /** Optional. A word on a check that passes, for the report of all checks. */
  readonly note?: () => string | undefined
  /** `endpoint`: the one that is requested. Default: `readyz`. */
  check(endpoint?: 'healthz' | 'livez' | 'readyz'): void | Promise<void>
}

/** Where the server is reached and what it shows of itself: known once it listens. */
export interface StartOptions {
  readonly address: string
  readonly port: number
  readonly serviceIP: string
  /** PEM. */
  readonly certificateAuthority: string
}

/** What loops of a service work with. */
export interface ServiceStart extends StartOptions {
  /** Requests in the server's own name, which end with the signal of `start`. */
  readonly env: ControllerEnvironment
}

/**
 * A part of a control plane. A member that a service has no use for is absent. Services are made in an order in which each needs only earlier ones, started in the same order, and closed in
 * the reverse of it.
 */
export interface Service {
  readonly metrics?: readonly MetricFamily[]
  /** The health endpoints list them in the order of the services. */
  readonly checks?: readonly ReadinessCheck[]
  /** What it serves beside the API. */
  readonly routes?: readonly OwnRoute[]
  /** Called once, when the server listens. Resolves when all that it runs has ended, after the signal has aborted; never rejects. */
  start?(start: ServiceStart, signal: AbortSignal): Promise<unknown>
  /** Called when a version of a kind is served no more: removes what was counted of it. */
  forgetVersion?(version: GoneVersion): void
  /** Called once, after whatever the services run has ended: frees what this one holds. */
  close?(): void | Promise<void>
}

/** A check of `/readyz` alone that fails with `why` until it is ready. Names are kube-apiserver's. */
export const onReadyz = (name: string, isReady: () => boolean, why: string): ReadinessCheck => ({
  name,
  endpoints: ['readyz'],
  check: () => {
    if (!isReady()) throw new Error(why)
  },
})

/** The same of all endpoints: how kube-apiserver reports that a hook of its start is done. */
export const onceBegun = (name: string, isDone: () => boolean, why: string): ReadinessCheck => ({
  name,
  atStart: true,
  check: () => {
    if (!isDone()) throw new Error(why)
  },
})

/** The same, and on `/readyz` it fails for objects that are refused as well, and names them: a server that runs on without them is alive. */
export const onceBootstrapped = (
  name: string,
  isDone: () => boolean,
  why: string,
  refusals: Refusals,
  isOf: (what: string) => boolean = () => true,
): ReadinessCheck => ({
  ...onceBegun(name, isDone, why),
  check(endpoint = 'readyz') {
    if (!isDone()) throw new Error(why)
    if (endpoint !== 'readyz') return
    const refused = [...refusals].filter(([what]) => isOf(what)).map(([what, reason]) => `${what}: ${reason}`)
    if (refused.length > 0) throw new Error(`refused: ${refused.join('; ')}`)
  },
})
