import type { Pod } from '../../api/core/v1.types.ts'
import type { Clock } from '../../lib/clock.ts'
import { Heap, type HeapEntry } from '../../lib/heap.ts'
import { podPriority } from '../shared/pods.ts'
import { type ClusterEvent, EVENT_LABELS, isHelpful } from './cluster-events.ts'

/** Counts what happens in a queue. */
export interface QueueObserver {
  /** Called when a pod enters a part of the queue. @param event name of the reason, as metrics have it */
  entered(event: string, queue: 'active' | 'backoff' | 'unschedulable'): void
  /** Called when plugins have rejected a pod (1), and when it is tried again, bound or deleted (-1). */
  rejected(pod: Pod, plugins: ReadonlySet<string>, change: 1 | -1): void
}

const NO_OBSERVER: QueueObserver = { entered: () => {}, rejected: () => {} }
const METRIC_QUEUES = { active: 'active', 'backing off': 'backoff', unschedulable: 'unschedulable' } as const

/** Delay after a failed attempt, in milliseconds. */
export interface BackOff {
  readonly firstMs: number
  readonly longestMs: number
  /**
   * Optional. Whether a rejected pod may be tried before its delay has passed if no other pod is to be tried. Gate
   * SchedulerPopFromBackoffQ. Default: no.
   */
  readonly endsEarly?: boolean
}

/** A pod in the queue. */
export interface QueuedPod extends HeapEntry {
  pod: Pod
  /** Time of the first entry, in milliseconds. */
  readonly firstEnteredAt: number
  /** Time of the last entry, in milliseconds. Among pods of equal priority, the earlier one is first. */
  enteredAt: number
  attempts: number
  /** Steady time at which the current attempt began, in milliseconds. */
  takenAt: number
  /** Time of the last failure. */
  failedAt: number
  /** Time at which the pod is tried again without an event, if it waits. */
  waitsUntil: number
  /** Plugins that rejected the pod in its last attempt. Empty after an error. */
  rejectedBy: ReadonlySet<string>
  /** Whether the pod is not tried until it is released, and whether an event has come meanwhile that may help it. */
  isHeld: boolean
  isHelped: boolean
  section: QueueSection
}

/** `taken`: an attempt is in progress, or the pod was bound or removed. */
type QueueSection = 'active' | 'backing off' | 'unschedulable' | 'taken'

/** Time after which a pod is tried again without an event. */
const LONGEST_WAIT_MS = 5 * 60_000

/**
 * Pods that wait for a node, by uid: those to be tried, those that wait for the end of their back-off, and those that
 * wait for a change of the cluster. Source: PriorityQueue of pkg/scheduler/backend/queue.
 */
export class SchedulingQueue {
  readonly #clock: Clock
  readonly #backOff: BackOff
  readonly #pods = new Map<string, QueuedPod>()
  /** Pods to be tried. */
  readonly #active = new Heap<QueuedPod>(isFirst)
  /**
   * Rejected pods in back-off. Those whose back-off ends in the same second are in the order in which they are tried.
   */
  readonly #backingOff = new Heap<QueuedPod>((a, b) => secondOf(a) < secondOf(b) || (secondOf(a) === secondOf(b) && isFirst(a, b)))
  /** Pods that wait for a time: unschedulable ones, and those in back-off after an error. */
  readonly #waiting = new Heap<QueuedPod>((a, b) => a.waitsUntil < b.waitsUntil)
  /**
   * Unschedulable pods by the plugins that rejected them, so that an event is compared with each set of plugins once.
   */
  readonly #unschedulable = new Map<string, Set<QueuedPod>>()
  /** Events since the current attempt began, which its snapshot lacks. */
  readonly #eventsOfAttempt = new Set<ClusterEvent>()
  readonly #observer: QueueObserver

  constructor(clock: Clock, backOff: BackOff = { firstMs: 1000, longestMs: 10_000 }, observer = NO_OBSERVER) {
    this.#clock = clock
    this.#backOff = backOff
    this.#observer = observer
  }

  /** Number of pods that are tried next, and of those in back-off. */
  get lengths(): { readonly active: number; readonly backoff: number; readonly unschedulable: number } {
    const { unschedulable } = this
    return { active: this.#active.size, backoff: this.#backingOff.size + this.#waiting.size - unschedulable, unschedulable }
  }

  /** Number of pods that wait for a change of the cluster. */
  get unschedulable(): number {
    return [...this.#unschedulable.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Adds a pod, or replaces its known state. @param isChanged whether the change may make it schedulable */
  put(pod: Pod, isChanged: boolean): void {
    const uid = pod.metadata.uid ?? ''
    const known = this.#pods.get(uid)
    if (known === undefined) {
      const queued: QueuedPod = {
        pod,
        firstEnteredAt: this.#clock.now(),
        enteredAt: this.#clock.now(),
        attempts: 0,
        takenAt: 0,
        failedAt: 0,
        waitsUntil: 0,
        rejectedBy: new Set(),
        isHeld: false,
        isHelped: false,
        section: 'taken',
        index: -1,
      }
      this.#pods.set(uid, queued)
      this.#move(queued, 'active', 'UnschedulablePodAdd')
      return
    }
    known.pod = pod
    if (isChanged && known.section === 'unschedulable') this.#retry(known, 'UnschedulablePodUpdate')
  }

  /** Removes a pod that was bound or deleted. */
  delete({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): void {
    const queued = this.#pods.get(uid)
    if (queued) this.#take(queued)
    this.#pods.delete(uid)
  }

  /** Takes the next pod to be tried. Undefined if there is none. It is returned by `fail`, or removed by `delete`. */
  take(): QueuedPod | undefined {
    this.#endWaits()
    const early = this.#active.first || !this.#backOff.endsEarly ? undefined : this.#backingOff.first
    const queued = early ?? this.#active.first
    if (queued === undefined) return undefined
    if (early) this.#observer.entered('PopFromBackoffQ', 'active')
    this.#beginAttempt(queued)
    this.#eventsOfAttempt.clear()
    return queued
  }

  /** Reports whether a pod that was taken still waits for a node: it was not bound or deleted meanwhile. */
  isPending(queued: QueuedPod): boolean {
    return this.#pods.get(queued.pod.metadata.uid ?? '') === queued
  }

  /** Reports whether an attempt to schedule a pod is in progress. */
  isTaken({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): boolean {
    return this.#pods.get(uid)?.section === 'taken'
  }

  /**
   * Returns a pod that was taken to the queue. Returns false if it no longer waits for a node. @param rejectedBy
   * plugins that rejected it; empty after an error, which is retried after the back-off
   */
  fail(queued: QueuedPod, rejectedBy: ReadonlySet<string>): boolean {
    if (!this.isPending(queued)) return false
    queued.failedAt = this.#clock.now()
    queued.enteredAt = queued.failedAt
    queued.rejectedBy = rejectedBy
    const hasChanged = [...this.#eventsOfAttempt].some(event => isHelpful(event, rejectedBy))
    queued.isHelped = queued.isHeld && hasChanged
    this.#move(queued, rejectedBy.size === 0 || (hasChanged && !queued.isHeld) ? 'backing off' : 'unschedulable', 'ScheduleAttemptFailure')
    if (rejectedBy.size > 0) this.#observer.rejected(queued.pod, rejectedBy, 1)
    return true
  }

  /**
   * Tries pods again that the event may help.
   *
   * @param helps optional: whether the event may help a pod that the plugin rejected; by default, it may help all of
   * them
   */
  react(event: ClusterEvent, helps: (pod: Pod, plugin: string) => boolean = () => true): void {
    this.#eventsOfAttempt.add(event)
    for (const pods of this.#unschedulable.values()) {
      const [first] = pods
      if (first === undefined || !isHelpful(event, first.rejectedBy)) continue
      for (const queued of pods) {
        const isHelped = [...queued.rejectedBy].some(plugin => isHelpful(event, new Set([plugin])) && helps(queued.pod, plugin))
        if (isHelped) this.#retry(queued, EVENT_LABELS[event])
      }
    }
  }

  /** Tries the pods again, of those that the event concerns, which it may help. They need not be in the queue. */
  reactFor(event: ClusterEvent, concerned: readonly Pick<Pod, 'metadata'>[]): void {
    for (const { metadata } of concerned) {
      const queued = this.#pods.get(metadata.uid ?? '')
      if (queued?.section === 'taken') this.#eventsOfAttempt.add(event)
      else if (queued?.section === 'unschedulable' && isHelpful(event, queued.rejectedBy)) this.#retry(queued, EVENT_LABELS[event])
    }
  }

  /**
   * Takes further pods beside the one that was taken, whatever they wait for. Pods that are held or taken stay as they
   * are.
   */
  takeAlso(pods: readonly Pick<Pod, 'metadata'>[]): QueuedPod[] {
    return pods.flatMap(({ metadata: { uid = '' } }) => {
      const queued = this.#pods.get(uid)
      if (queued === undefined || queued.section === 'taken' || queued.isHeld) return []
      this.#beginAttempt(queued)
      return [queued]
    })
  }

  /** Tries pods again at once that wait. */
  activate(pods: readonly Pick<Pod, 'metadata'>[]): void {
    for (const { metadata } of pods) {
      const queued = this.#pods.get(metadata.uid ?? '')
      if (queued && !queued.isHeld && (queued.section === 'unschedulable' || queued.section === 'backing off'))
        this.#move(queued, 'active', 'ForceActivate')
    }
  }

  /** Keeps a pod from being tried until it is released. */
  hold({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): void {
    const queued = this.#pods.get(uid)
    if (queued) queued.isHeld = true
  }

  /** Ends a hold. @param isRetried whether the pod is tried again although no event has come */
  release({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>, isRetried: boolean): void {
    const queued = this.#pods.get(uid)
    if (!queued?.isHeld) return
    queued.isHeld = false
    if (queued.section === 'unschedulable' && (isRetried || queued.isHelped)) this.#retry(queued, 'ForceActivate')
  }

  /** Returns the milliseconds until a pod may become active by the passage of time. Undefined if none waits. */
  untilNext(): number | undefined {
    const ends = [this.#waiting.first, this.#backingOff.first].flatMap(first => first?.waitsUntil ?? [])
    return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends) - this.#clock.now())
  }

  #retry(queued: QueuedPod, event: string): void {
    queued.isHelped = queued.isHeld
    if (!queued.isHeld) this.#move(queued, this.#endOfBackOff(queued) > this.#clock.now() ? 'backing off' : 'active', event)
  }

  #beginAttempt(queued: QueuedPod): void {
    this.#take(queued)
    queued.attempts++
    queued.takenAt = performance.now()
  }

  /** Takes a pod out of all sections. */
  #take(queued: QueuedPod): void {
    this.#leave(queued)
    queued.section = 'taken'
    if (queued.rejectedBy.size > 0) this.#observer.rejected(queued.pod, queued.rejectedBy, -1)
    queued.rejectedBy = NO_PLUGINS
  }

  /** @param event name of the reason in metrics */
  #move(queued: QueuedPod, section: Exclude<QueueSection, 'taken'>, event: string): void {
    this.#leave(queued)
    queued.section = section
    this.#observer.entered(event, METRIC_QUEUES[section])
    if (section === 'unschedulable') queued.waitsUntil = queued.failedAt + LONGEST_WAIT_MS
    else if (section === 'backing off') queued.waitsUntil = this.#endOfBackOff(queued)
    this.#heapOf(queued).add(queued)
    if (section !== 'unschedulable') return
    const plugins = pluginsKey(queued)
    const pods = this.#unschedulable.get(plugins)
    if (pods) pods.add(queued)
    else this.#unschedulable.set(plugins, new Set([queued]))
  }

  #leave(queued: QueuedPod): void {
    if (queued.section === 'taken') return
    this.#heapOf(queued).remove(queued)
    if (queued.section !== 'unschedulable') return
    const plugins = pluginsKey(queued)
    const pods = this.#unschedulable.get(plugins)
    pods?.delete(queued)
    if (pods?.size === 0) this.#unschedulable.delete(plugins)
  }

  #heapOf({ section, rejectedBy }: QueuedPod): Heap<QueuedPod> {
    if (section === 'active') return this.#active
    return section === 'backing off' && rejectedBy.size > 0 ? this.#backingOff : this.#waiting
  }

  /** Activates the pods whose wait has ended. */
  #endWaits(): void {
    const now = this.#clock.now()
    for (const heap of [this.#waiting, this.#backingOff])
      for (let { first } = heap; first !== undefined && first.waitsUntil <= now; { first } = heap)
        this.#move(first, 'active', first.section === 'unschedulable' ? 'UnschedulableTimeout' : 'BackoffComplete')
  }

  /** A pod waits the longer the more attempts have failed. */
  #endOfBackOff({ attempts, failedAt }: QueuedPod): number {
    const { firstMs, longestMs } = this.#backOff
    return attempts === 0 ? failedAt : failedAt + Math.min(firstMs * 2 ** (attempts - 1), longestMs)
  }
}

const secondOf = ({ waitsUntil }: QueuedPod): number => Math.floor(waitsUntil / 1000)

/** Source: PrioritySort. */
function isFirst(a: QueuedPod, b: QueuedPod): boolean {
  const difference = podPriority(a.pod) - podPriority(b.pod)
  return difference > 0 || (difference === 0 && a.enteredAt < b.enteredAt)
}

const NO_PLUGINS: ReadonlySet<string> = new Set()

const pluginsKey = ({ rejectedBy }: QueuedPod): string => [...rejectedBy].sort().join()
