import type { Pod } from '../../api/core/v1.types.ts'
import type { Clock } from '../../lib/clock.ts'
import { Heap, type HeapEntry } from '../../lib/heap.ts'
import { podPriority } from '../shared/pods.ts'

/** A change of the cluster that may make a pod schedulable. */
export type ClusterEvent =
  | 'node added'
  | 'node labels'
  | 'node taints'
  | 'node allocatable'
  | 'assigned pod added'
  | 'assigned pod labels'
  | 'assigned pod resources'
  | 'assigned pod deleted'
  | 'claim'
  | 'volume'
  | 'class'
  | 'storage node'
  | 'device'

/** Events after which a pod is tried again, by the plugin that rejected it. Source: EventsToRegister of each plugin in pkg/scheduler/framework/plugins. */
const EVENTS: Readonly<Record<string, readonly ClusterEvent[]>> = {
  NodeUnschedulable: ['node added', 'node taints'],
  NodeName: ['node added'],
  TaintToleration: ['node added', 'node taints'],
  NodeAffinity: ['node added', 'node labels'],
  NodePorts: ['node added', 'assigned pod deleted'],
  NodeResourcesFit: ['node added', 'node allocatable', 'assigned pod deleted', 'assigned pod resources'],
  VolumeRestrictions: ['node added', 'assigned pod deleted', 'claim'],
  NodeVolumeLimits: ['storage node', 'assigned pod deleted', 'claim', 'volume'],
  VolumeBinding: ['node added', 'node labels', 'claim', 'volume', 'class', 'storage node'],
  VolumeZone: ['node added', 'node labels', 'claim', 'volume', 'class'],
  PodTopologySpread: ['node added', 'node labels', 'node taints', 'assigned pod added', 'assigned pod labels', 'assigned pod deleted'],
  InterPodAffinity: ['node added', 'node labels', 'assigned pod added', 'assigned pod labels', 'assigned pod deleted'],
  DynamicResources: ['node added', 'claim', 'device', 'class'],
}

/** Bounds of the delay after a failed attempt, in milliseconds. */
export interface BackOff {
  readonly firstMs: number
  readonly longestMs: number
}

/** A pod in the queue. */
export interface QueuedPod extends HeapEntry {
  pod: Pod
  /** Time of the last entry, in milliseconds. Among pods of equal priority, the earlier one is first. */
  enteredAt: number
  attempts: number
  /** Time of the last failure. */
  failedAt: number
  /** Plugins that rejected the pod in its last attempt. Empty after an error. */
  rejectedBy: ReadonlySet<string>
  section: QueueSection
}

/** `taken`: an attempt is in progress, or the pod was bound or removed. */
type QueueSection = 'active' | 'backing off' | 'unschedulable' | 'taken'

/** Time after which a pod is tried again without an event. */
const LONGEST_WAIT_MS = 5 * 60_000

/**
 * Pods that wait for a node, by uid: those to be tried, those that wait for the end of their back-off, and those that wait for a change of the cluster. Source: PriorityQueue of
 * pkg/scheduler/backend/queue.
 */
export class SchedulingQueue {
  readonly #clock: Clock
  readonly #backOff: BackOff
  readonly #pods = new Map<string, QueuedPod>()
  /** Pods to be tried. */
  readonly #active = new Heap<QueuedPod>(isFirst)
  readonly #backingOff = new Set<QueuedPod>()
  readonly #unschedulable = new Set<QueuedPod>()
  /** Time at which the first wait ends, or an earlier one. */
  #firstEnd = Number.POSITIVE_INFINITY
  /** Events since the current attempt began, which its snapshot lacks. */
  readonly #eventsOfAttempt = new Set<ClusterEvent>()

  constructor(clock: Clock, backOff: BackOff = { firstMs: 1000, longestMs: 10_000 }) {
    this.#clock = clock
    this.#backOff = backOff
  }

  /** Number of pods that wait for a change of the cluster. */
  get unschedulable(): number {
    return this.#unschedulable.size
  }

  /** Adds a pod, or replaces its known state. @param isChanged whether the change may make it schedulable */
  put(pod: Pod, isChanged: boolean): void {
    const uid = pod.metadata.uid ?? ''
    const known = this.#pods.get(uid)
    if (known === undefined) {
      const queued: QueuedPod = { pod, enteredAt: this.#clock.now(), attempts: 0, failedAt: 0, rejectedBy: new Set(), section: 'taken', index: -1 }
      this.#pods.set(uid, queued)
      this.#move(queued, 'active')
      return
    }
    known.pod = pod
    if (isChanged && known.section === 'unschedulable') this.#retry(known)
  }

  /** Removes a pod that was bound or deleted. */
  delete({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): void {
    const queued = this.#pods.get(uid)
    if (queued) this.#move(queued, 'taken')
    this.#pods.delete(uid)
  }

  /** Takes the next pod to be tried. Undefined if there is none. It is returned by `fail`, or removed by `delete`. */
  take(): QueuedPod | undefined {
    this.#endWaits()
    const queued = this.#active.first
    if (queued === undefined) return undefined
    this.#move(queued, 'taken')
    queued.attempts++
    this.#eventsOfAttempt.clear()
    return queued
  }

  /** Returns a pod that was taken to the queue. @param rejectedBy plugins that rejected it; empty after an error, which is retried after the back-off */
  fail(queued: QueuedPod, rejectedBy: ReadonlySet<string>): void {
    if (this.#pods.get(queued.pod.metadata.uid ?? '') !== queued) return
    queued.failedAt = this.#clock.now()
    queued.enteredAt = queued.failedAt
    queued.rejectedBy = rejectedBy
    const hasChanged = [...this.#eventsOfAttempt].some(event => isHelpful(event, rejectedBy))
    this.#move(queued, rejectedBy.size === 0 || hasChanged ? 'backing off' : 'unschedulable')
  }

  /** Tries pods again that the event may help. */
  react(event: ClusterEvent): void {
    this.#eventsOfAttempt.add(event)
    for (const queued of this.#unschedulable) if (isHelpful(event, queued.rejectedBy)) this.#retry(queued)
  }

  /** Returns the milliseconds until a pod may become active by the passage of time. Undefined if none waits. */
  untilNext(): number | undefined {
    if (this.#backingOff.size === 0 && this.#unschedulable.size === 0) return undefined
    return Math.max(0, this.#firstEnd - this.#clock.now())
  }

  #retry(queued: QueuedPod): void {
    this.#move(queued, this.#endOfBackOff(queued) > this.#clock.now() ? 'backing off' : 'active')
  }

  #move(queued: QueuedPod, section: QueueSection): void {
    this.#active.remove(queued)
    this.#backingOff.delete(queued)
    this.#unschedulable.delete(queued)
    queued.section = section
    if (section === 'active') this.#active.add(queued)
    else if (section === 'backing off') this.#backingOff.add(queued)
    else if (section === 'unschedulable') this.#unschedulable.add(queued)
    if (section === 'backing off' || section === 'unschedulable') this.#firstEnd = Math.min(this.#firstEnd, this.#endOfWait(queued))
  }

  /** Activates the pods whose wait has ended. Looks at none of them before one may have. */
  #endWaits(): void {
    const now = this.#clock.now()
    if (now < this.#firstEnd) return
    this.#firstEnd = Number.POSITIVE_INFINITY
    for (const waiting of [this.#backingOff, this.#unschedulable])
      for (const queued of waiting) {
        const end = this.#endOfWait(queued)
        if (end <= now) this.#move(queued, 'active')
        else this.#firstEnd = Math.min(this.#firstEnd, end)
      }
  }

  #endOfWait(queued: QueuedPod): number {
    return queued.section === 'unschedulable' ? queued.failedAt + LONGEST_WAIT_MS : this.#endOfBackOff(queued)
  }

  /** A pod waits the longer the more attempts have failed. */
  #endOfBackOff({ attempts, failedAt }: QueuedPod): number {
    const { firstMs, longestMs } = this.#backOff
    return attempts === 0 ? failedAt : failedAt + Math.min(firstMs * 2 ** (attempts - 1), longestMs)
  }
}

/** Source: PrioritySort. */
function isFirst(a: QueuedPod, b: QueuedPod): boolean {
  const difference = podPriority(a.pod) - podPriority(b.pod)
  return difference > 0 || (difference === 0 && a.enteredAt < b.enteredAt)
}

const isHelpful = (event: ClusterEvent, rejectedBy: ReadonlySet<string>): boolean => [...rejectedBy].some(plugin => EVENTS[plugin]?.includes(event) ?? true)
