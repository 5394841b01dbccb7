import type { ApiClient } from '../clients/api-client.ts'
import type { TimerClock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { QueueMeters } from '../lib/queue-meter.ts'
import type { Randomness } from '../lib/randomness.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { ClientIdentity } from './in-process-client.ts'

/** Environment of the cluster: it uses the API of the server like a client. */
export interface ClusterLoopParts {
  clientOf(identity: ClientIdentity): ApiClient
  /** Clock of the API. */
  readonly clock: TimerClock
  readonly logger: Logger
  readonly meters: QueueMeters
  readonly gates: Gates
  readonly random: Randomness
  /** Called when all parts have seen the present objects. */
  readonly synced: () => void
}

/** Runs the parts of a cluster until the signal aborts. Never rejects. */
export type ClusterLoop = (parts: ClusterLoopParts, signal: AbortSignal) => Promise<void>
