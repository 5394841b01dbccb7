import type { FlowClock } from './flow-clock.ts'
import type { FlowControl } from './flow-control.ts'
import type { FlowMetrics } from './flow-metrics.ts'

/** What a server limits requests with. */
export interface FlowLimits {
  readonly flows: FlowControl
  readonly metrics: FlowMetrics
  /** Of `flows`. */
  readonly clock: FlowClock
}
