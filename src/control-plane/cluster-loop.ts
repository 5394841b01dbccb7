import type { ApiClient } from '../clients/api-client.ts'
import type { TimerClock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { QueueMeters } from '../lib/queue-meter.ts'
import type { Randomness } from '../lib/randomness.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { ClientIdentity } from './in-process-client.ts'

/** Environment of the cluster: it uses the API of the server like a client. */
export interface ClusterLoopParts {
  /** Returns a client with the identity of a part, under which its requests appear in managed fields and events. */
  clientOf(identity: ClientIdentity): ApiClient
  /** Clock of the API. */
  readonly clock: TimerClock
  readonly logger: Logger
  /** Meters of the work queues of all parts. */
  readonly meters: QueueMeters
  /** Feature gates of the release. */
  readonly gates: Gates
  /** Source of jitter and of random choices. */
  readonly random: Randomness
  /** Called when all parts have seen the present objects. */
  readonly synced: () => void
}

/** Runs the parts of a cluster until the signal aborts. Never rejects. */
export type ClusterLoop = (parts: ClusterLoopParts, signal: AbortSignal) => Promise<void>
