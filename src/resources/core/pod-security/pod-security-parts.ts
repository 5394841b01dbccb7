import type { Namespace, Pod } from '../../../api/core/v1.types.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { PodSecurityConfiguration } from './configuration.ts'
import type { PodSecurityMetrics } from './metrics.ts'
import type { Standards } from './standards.ts'

/** Dependencies of the plugin PodSecurity. */
export interface PodSecurityParts {
  readonly features: Features
  readonly configuration: PodSecurityConfiguration
  readonly standards: Standards
  readonly metrics: PodSecurityMetrics
  /** Monotonic clock, for time limits. */
  readonly clock: Clock
  /** Returns the namespace from the cache, or else from the store. Rejects with NotFound. */
  getNamespace(name: string): Namespace | Promise<Namespace>
  /** Lists the cached pods of a namespace. Each is decoded when its function is called. */
  listPods(namespace: string, signal: AbortSignal): Promise<readonly (() => Pod)[]>
}
