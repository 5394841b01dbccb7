import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { ControllerEnvironment } from '../controllers/controller.ts'
import type { Refusals } from '../controllers/ensure.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import type { MetricFamily } from '../lib/metrics.ts'

/** A check of the health endpoints. */
export interface ReadinessCheck {
  readonly name: string
  /** Optional. Default: all health endpoints. */
  readonly endpoints?: readonly 'readyz'[]
  /** Optional. Whether the check only appears in verbose reports and never affects the status. */
  readonly informs?: boolean
  /** Optional. Timeout in milliseconds. Default: 2000. */
  readonly timeoutMs?: number
  /** Optional. Whether the check reports startup. `/livez` tolerates its failure for a grace period. */
  readonly atStart?: boolean
  /**
   * Optional. Describes why the check still fails. Every client can read it in verbose reports. Default:
   * `reason withheld`.
   */
  readonly progress?: () => string
  /** Optional. Adds a note to a passing check in verbose reports. */
  readonly note?: () => string | undefined
  /** Throws, with the reason, if the check fails. @param endpoint the requested endpoint. Default: `readyz`. */
  check(endpoint?: 'healthz' | 'livez' | 'readyz'): void | Promise<void>
}

/** Address and certificate authority of the server, known once it listens. */
export interface StartOptions {
  readonly address: string
  readonly port: number
  readonly serviceIP: string
  /** PEM certificates. */
  readonly certificateAuthority: string
}

/** Input of a service's background loops. */
export interface ServiceStart extends StartOptions {
  /** Environment of requests in the server's own name. They end when the signal of `start` aborts. */
  readonly env: ControllerEnvironment
}

/**
 * A part of a control plane. Services are created in dependency order, started in the same order, and closed in
 * reverse. Members that a service does not need are omitted.
 */
export interface Service {
  readonly metrics?: readonly MetricFamily[]
  /** Listed by the health endpoints in the order of the services. */
  readonly checks?: readonly ReadinessCheck[]
  /** Endpoints beside the API. */
  readonly routes?: readonly OwnRoute[]
  /**
   * Called once, when the server listens. Resolves when all loops have ended after the signal aborted. Never rejects.
   */
  start?(start: ServiceStart, signal: AbortSignal): Promise<unknown>
  /** Called when a version of a kind is no longer served. Drops its metrics. */
  forgetVersion?(version: GoneVersion): void
  /** Called once, after the loops of all services have ended. Releases resources. */
  close?(): void | Promise<void>
}

/** Returns a check of `/readyz` alone that fails with `why` until ready. Names are kube-apiserver's. */
export const onReadyz = (name: string, isReady: () => boolean, why: string): ReadinessCheck => ({
  name,
  endpoints: ['readyz'],
  check: () => {
    if (!isReady()) throw new Error(why)
  },
})

/**
 * Returns a check of all endpoints that fails with `why` until done. Corresponds to a post-start hook of
 * kube-apiserver.
 */
export const onceBegun = (name: string, isDone: () => boolean, why: string): ReadinessCheck => ({
  name,
  atStart: true,
  check: () => {
    if (!isDone()) throw new Error(why)
  },
})

/**
 * Same as `onceBegun`, but `/readyz` also fails if bootstrap objects were rejected, and names them. `/livez` passes:
 * the server works without them.
 */
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
