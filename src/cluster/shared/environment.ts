import type { ApiClient } from '../../clients/api-client.ts'
import type { TimerClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import type { QueueMeters } from '../../lib/queue-meter.ts'
import type { Randomness } from '../../lib/randomness.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { isStatusError } from '../../meta/status.ts'
import type { SchedulerSettings } from '../scheduler/configuration/settings.ts'
import type { SchedulerMetrics } from '../scheduler/scheduler-metrics.ts'
import { EventRecorder } from './event-recorder.ts'
import type { Informers } from './informers.ts'
import type { NodeCidrs } from './node-cidrs.ts'
import type { NodePool } from './node-pool.ts'
import { KeyQueue, type KeyQueueOptions } from './work-queue.ts'

/** A certificate authority in PEM. */
export interface SigningAuthority {
  readonly cert: string
  readonly key: string
}

/** Settings of a cluster. */
export interface ClusterSettings {
  /** Nodes that are simulated. */
  readonly nodes: readonly NodePool[]
  /** Ranges of the addresses of pods. Undefined if nodes get none. */
  readonly nodeCidrs: NodeCidrs | undefined
  /** Ranges (CIDR) of the addresses of load balancers. */
  readonly loadBalancerRanges: readonly string[]
  /** Returns the certificate authority of the server. Clients that it signs are trusted. */
  readonly authority: () => Promise<SigningAuthority>
  /** Returns the certificates by which clients verify the server, in PEM. */
  readonly servingCa: () => Promise<string>
  /** Settings of the scheduler. Undefined without a configuration. */
  readonly scheduler: SchedulerSettings | undefined
  /** Undefined if the scheduler does not run. */
  readonly schedulerMetrics: SchedulerMetrics | undefined
}

/** Environment of the parts of a cluster. */
export interface ClusterEnvironment extends ClusterSettings {
  /** Client with the identity of this part. */
  readonly client: ApiClient
  /** Clock of the API. */
  readonly clock: TimerClock
  readonly logger: Logger
  readonly meters: QueueMeters
  readonly informers: Informers
  readonly features: Features
  /** Random values of this part. */
  readonly random: Randomness
  /** Returns a client with the identity of a node's kubelet: `system:node:NAME`. */
  clientOfNode(name: string): ApiClient
}

/**
 * A part of a cluster: a controller, the binder, the kubelets. Registers handlers at once, and runs until the signal
 * aborts. Never rejects.
 */
export type ClusterPart = (env: ClusterEnvironment, signal: AbortSignal) => Promise<void>

/** Resolves with true when all informers have synced, or with false once the signal aborts. */
export const untilSynced = async (informers: readonly { synced(): Promise<void> }[], signal: AbortSignal): Promise<boolean> => {
  await Promise.race([Promise.all(informers.map(informer => informer.synced())), untilAborted(signal)])
  return !signal.aborted
}

/** Returns a recorder of the events of a component. */
export const recorderOf = ({ client, clock, logger, meters }: ClusterEnvironment, component: string, signal: AbortSignal): EventRecorder =>
  new EventRecorder({ component, client, clock, logger, meter: meters.meter(`${component}_events`), signal })

/** The part of the environment that a queue uses. */
export type QueueEnvironment = Pick<ClusterEnvironment, 'clock' | 'logger' | 'meters'>

/**
 * Returns the queue of a controller. Failures are logged, conflicts only in detail. @param name upstream's name of the
 * queue, which its metrics have.
 */
export const queueOf = (
  { clock, logger, meters }: QueueEnvironment,
  name: string,
  signal: AbortSignal,
  options: Pick<KeyQueueOptions, 'workers' | 'work' | 'maxRetries' | 'firstRetryMs'>,
): KeyQueue =>
  new KeyQueue({
    ...options,
    clock,
    meter: meters.meter(name),
    signal,
    onError(key, error, isDropped) {
      const fields = { queue: name, key, error: errorMessage(error) }
      if (isDropped) logger.warn('controller gives up a key', fields)
      else if (isStatusError(error, 'Conflict')) logger.debug(3, 'controller retries after a conflict', fields)
      else logger.debug(2, 'controller retries', fields)
    },
  })
