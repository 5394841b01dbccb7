import type { Pod } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { isStatusError } from '../../meta/status.ts'
import { PODS } from '../shared/kinds.ts'
import type { AttemptReports } from './attempt-reports.ts'
import type { ClusterState } from './cluster-state.ts'
import { bindByExtenders, type Extender } from './extenders/extender.ts'
import type { AttemptFailure } from './failure-status.ts'
import { failureText } from './failure-text.ts'
import type { ActiveReserve } from './find-node.ts'
import { type BindingContext, unschedulable } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { QueuedPod, SchedulingQueue } from './queue.ts'
import { type BindingRejection, type PluginPermit, Reservations } from './reservations.ts'
import type { PointObserver, PointStatus } from './scheduler-metrics.ts'

/** Parts of the scheduler that bindings use. */
export interface BinderParts {
  readonly context: BindingContext
  /**
   * Optional. Whether a pod is nominated to its node while its binding is prepared. If omitted, it is not. Gate
   * NominatedNodeNameForExpectation.
   */
  readonly nominates?: boolean
  readonly extenders: readonly Extender[]
  readonly logger: Logger
  readonly state: Pick<ClusterState, 'forgetAssumed'>
  readonly pending: Pick<SchedulingQueue, 'delete'>
  readonly reports: Pick<AttemptReports, 'bound'>
  /** Optional. Called after Reserve, PreBind and Bind of a pod. */
  readonly observe?: (pod: Pod, ...outcome: Parameters<PointObserver>) => void
  /** Writes in the background, after earlier writes for the pod. `write` never rejects. */
  readonly write: (pod: Pod, write: () => Promise<void>) => void
  /** Called when a binding has failed and its node is released. Must return the pod to the queue if it still waits. */
  readonly takenBack: (queued: QueuedPod, plugins: ReadonlySet<string>, failure: AttemptFailure) => void
}

/**
 * Binds pods to the nodes that were chosen for them, in the background. The caller has assumed the pod on its node. If
 * the binding fails, the node is released.
 */
export class Binder {
  readonly #parts: BinderParts
  /**
   * Pods that are prepared before they are bound. Their number is not limited, as they may wait for other parts of the
   * cluster.
   */
  readonly #preparations = new Set<Promise<void>>()
  /** Aborts the preparation of a pod, by its uid. */
  readonly #cancellations = new Map<string, AbortController>()
  /** Rejects a pod that waits to be permitted, by its uid. */
  readonly #waiting = new Map<string, (rejection: BindingRejection) => void>()

  constructor(parts: BinderParts) {
    this.#parts = parts
  }

  /** Makes the reservations of the plugins, and starts the binding. @param permits what the pod waits for first */
  bind(queued: QueuedPod, info: PodInfo, node: NodeInfo, reserves: readonly ActiveReserve[], permits: readonly PluginPermit[]): void {
    const begun = performance.now()
    const { reservations, rejection } = Reservations.make(reserves, node)
    this.#parts.observe?.(queued.pod, 'Reserve', rejection?.status.code ?? 'Success', performance.now() - begun)
    if (rejection) this.#parts.write(queued.pod, () => this.#takeBack(queued, node, reservations, rejection))
    else this.bindReserved(queued, info, node, reservations, permits)
  }

  /** Starts the binding of a pod whose reservations are made. */
  bindReserved(queued: QueuedPod, info: PodInfo, node: NodeInfo, reservations: Reservations, permits: readonly PluginPermit[] = []): void {
    if (reservations.isPending || permits.length > 0) {
      const preparation = this.#prepare(queued, info, node, reservations, permits).finally(() => this.#preparations.delete(preparation))
      this.#preparations.add(preparation)
    } else this.#parts.write(queued.pod, () => this.#writeBinding(queued, info, node, reservations))
  }

  /** Aborts the preparation of a pod that no longer needs its binding. */
  cancel({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): void {
    this.#cancellations.get(uid)?.abort()
  }

  /**
   * Returns a pod that waits to be permitted to the queue, because a preemption takes its node. Returns false if the pod
   * does not wait: then it must be deleted. Source: PreemptPod of pkg/scheduler/framework/preemption.
   */
  preempt({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): boolean {
    const reject = this.#waiting.get(uid)
    reject?.({ plugin: 'DefaultPreemption', status: unschedulable('preempted') })
    return reject !== undefined
  }

  /** Aborts all preparations. Resolves when they have ended. */
  async stop(): Promise<void> {
    for (const cancellation of this.#cancellations.values()) cancellation.abort()
    await Promise.allSettled(this.#preparations)
  }

  async #prepare(
    queued: QueuedPod,
    info: PodInfo,
    node: NodeInfo,
    reservations: Reservations,
    permits: readonly PluginPermit[],
  ): Promise<void> {
    const { context, write } = this.#parts
    const { uid = '' } = queued.pod.metadata
    const cancellation = new AbortController()
    this.#cancellations.set(uid, cancellation)
    try {
      const own = { ...context, signal: cancellation.signal }
      const permitted = this.#untilPermitted(uid, permits, own)
      await Promise.allSettled([permitted, this.#nominate(queued, node.name)])
      const rejection = (await permitted) ?? (await this.#preBind(queued.pod, reservations, own))
      if (rejection === undefined) write(queued.pod, () => this.#writeBinding(queued, info, node, reservations))
      else await this.#takeBack(queued, node, reservations, rejection)
    } catch (error) {
      if (context.signal.aborted) await reservations.release(context)
      else await this.#takeBack(queued, node, reservations, errorMessage(error))
    }
    this.#cancellations.delete(uid)
  }

  async #preBind(pod: Pod, reservations: Reservations, context: BindingContext): Promise<BindingRejection | undefined> {
    const begun = performance.now()
    let status: PointStatus = 'Error'
    try {
      const rejection = await reservations.preBind(context)
      status = rejection?.status.code ?? 'Success'
      return rejection
    } finally {
      this.#parts.observe?.(pod, 'PreBind', status, performance.now() - begun)
    }
  }

  /** Nominates a pod to the node to which it will be bound. A failure does not keep the pod from being bound. */
  async #nominate(queued: QueuedPod, node: string): Promise<void> {
    const { context, logger, nominates } = this.#parts
    const { metadata, status } = queued.pod
    if (!nominates || status.nominatedNodeName === node) return
    const { namespace = '', name = '' } = metadata
    try {
      await context.client.patch(PODS, { namespace, name, subresource: 'status' }, { status: { nominatedNodeName: node } }, 'strategic')
      // A failure of the binding ends the nomination, even if the change is not observed by then.
      queued.pod = { ...queued.pod, status: { ...queued.pod.status, nominatedNodeName: node } }
    } catch (error) {
      logger.debug(2, 'the node of a pod was not nominated', { pod: objectKey(queued.pod), node, error: errorMessage(error) })
    }
  }

  /** Waits for each permit in turn. Resolves with the first rejection. */
  async #untilPermitted(uid: string, permits: readonly PluginPermit[], context: BindingContext): Promise<BindingRejection | undefined> {
    if (permits.length === 0) return undefined
    const preempted = new Promise<BindingRejection>(resolve => this.#waiting.set(uid, resolve))
    const ended = new AbortController()
    const signal = AbortSignal.any([context.signal, ended.signal])
    try {
      return await Promise.race([preempted, firstRejection(permits, { ...context, signal })])
    } finally {
      this.#waiting.delete(uid)
      ended.abort()
    }
  }

  /**
   * Releases a node that was assumed for a pod, and returns the pod to the queue. @param reason rejection of a plugin,
   * or the message of an error
   */
  async #takeBack(queued: QueuedPod, { name }: NodeInfo, reservations: Reservations, reason: BindingRejection | string): Promise<void> {
    const { context, state, takenBack } = this.#parts
    await reservations.release(context)
    state.forgetAssumed(queued.pod)
    if (typeof reason === 'string') takenBack(queued, new Set(), { reason: 'SchedulerError', message: reason, nominatedNode: '' })
    else {
      const { plugin, status } = reason
      const plugins = new Set([plugin])
      const message = failureText({ nodeCount: 1, preFilterReason: '', statuses: new Map([[name, status]]), plugins })
      takenBack(queued, plugins, { reason: 'Unschedulable', message, nominatedNode: '' })
    }
  }

  async #writeBinding(queued: QueuedPod, { pod }: PodInfo, node: NodeInfo, reservations: Reservations): Promise<void> {
    const { context, extenders, logger, state, pending, reports } = this.#parts
    const { namespace = '', name = '', uid } = pod.metadata
    const binding = {
      kind: 'Binding',
      apiVersion: 'v1',
      metadata: { namespace, name, ...(uid !== undefined && { uid }) },
      target: { kind: 'Node', name: node.name },
    }
    let isByExtender = true
    const begun = performance.now()
    const observe = (status: PointStatus): void => this.#parts.observe?.(pod, 'Bind', status, performance.now() - begun)
    try {
      isByExtender = await bindByExtenders(pod, node.name, extenders, { signal: context.signal, logger })
      if (!isByExtender) await context.client.post(PODS, { namespace, name, subresource: 'binding' }, binding)
      observe('Success')
      pending.delete(pod)
      reports.bound(queued, node.name)
    } catch (error) {
      observe('Error')
      const message = isByExtender ? errorMessage(error) : `running Bind plugin "DefaultBinder": ${errorMessage(error)}`
      if (!isStatusError(error, 'NotFound')) return this.#takeBack(queued, node, reservations, message)
      await reservations.release(context)
      state.forgetAssumed(pod)
      pending.delete(pod)
    }
  }
}

async function firstRejection(permits: readonly PluginPermit[], context: BindingContext): Promise<BindingRejection | undefined> {
  for (const { plugin, permit } of permits) {
    const status = await permit(context)
    if (status) return { plugin, status }
  }
  return undefined
}
