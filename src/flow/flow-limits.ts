import type { FlowClock } from './flow-clock.ts'
import type { FlowControl } from './flow-control.ts'
import type { FlowMetrics } from './flow-metrics.ts'

/** Flow control of a server, with its metrics. */
export interface FlowLimits {
  readonly flows: FlowControl
  readonly metrics: FlowMetrics
  /** Clock of `flows`. */
  readonly clock: FlowClock
}
