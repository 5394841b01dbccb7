import type { Clock } from '../../../lib/clock.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { Namespace, Pod } from '../v1.types.ts'
import type { PodSecurityConfiguration } from './configuration.ts'
import type { PodSecurityMetrics } from './metrics.ts'
import type { Standards } from './standards.ts'

/** What the plugin PodSecurity works with. */
export interface PodSecurityParts {
  readonly features: Features
  readonly configuration: PodSecurityConfiguration
  readonly standards: Standards
  readonly metrics: PodSecurityMetrics
  /** Steady: for bounds of time. */
  readonly clock: Clock
  /** From the cache, where it mostly is, or from the store. Rejects with NotFound. */
  getNamespace(name: string): Namespace | Promise<Namespace>
  /** The pods of a namespace, as the cache has them; each is decoded when it is asked for. */
  listPods(namespace: string, signal: AbortSignal): Promise<readonly (() => Pod)[]>
}
