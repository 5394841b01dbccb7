import type { Pod } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import type { TimerClock } from '../../lib/clock.ts'
import type { Steps } from '../../lib/steps.ts'
import type { RecordedEvent } from '../shared/series-recorder.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { ClusterObjects, Snapshot } from './snapshot.ts'

/** Highest score of a node. Source: MaxNodeScore of k8s.io/kube-scheduler/framework. */
export const MAX_SCORE = 100

/**
 * `UnschedulableAndUnresolvable`: deleting pods of the node would not help. `Skip`: the plugin takes no further part
 * for this pod.
 */
export type StatusCode = 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Skip'

/** Result of a plugin that does not accept a pod. Success is undefined. */
export interface Status {
  readonly code: StatusCode
  /** Texts for the pod's condition, in the plugin's order. */
  readonly reasons: readonly string[]
}

export const SKIP: Status = { code: 'Skip', reasons: [] }
/** The pod does not fit now. Preemption may help. */
export const unschedulable = (...reasons: string[]): Status => ({ code: 'Unschedulable', reasons })
/** The pod does not fit, and preemption would not help. */
export const unresolvable = (...reasons: string[]): Status => ({ code: 'UnschedulableAndUnresolvable', reasons })

/** Filter of one plugin for one pod. */
export interface NodeFilter {
  /** Returns why the pod cannot run on the node. Undefined if it can. */
  check(node: NodeInfo): Status | undefined
  /** Optional. Computes in steps what `check` of a node takes long for. It must not depend on the pods of the node. */
  prepare?(node: NodeInfo): Steps<unknown>
  /**
   * Returns the filter as it is with a pod added to the node (1) or removed from it (-1). Omitted if only the node's
   * own state counts.
   */
  with?(pod: PodInfo, node: NodeInfo, change: 1 | -1): NodeFilter
}

/** Result of `preFilter`: the filter of the pod, or a status. */
export interface PreFiltered {
  /** Set if the pod is rejected on all nodes, or the plugin is skipped. */
  readonly status?: Status
  /** Optional. Names of the only nodes that can be feasible. */
  readonly nodeNames?: ReadonlySet<string>
  /** Omitted if the plugin rejects no node for this pod. */
  readonly filter?: NodeFilter
  /**
   * Optional. False if the filter of a node-local plugin reads more for this pod than `isNodeLocal` of the plugin
   * allows. All pods of its shape must have the same value.
   */
  readonly isNodeLocal?: boolean
  /** Optional. Whether the filter may take more than some ten microseconds for a node. */
  readonly isSlow?: true
  /** Optional. Reserves what the pod needs on the node that was chosen. Called if no plugin has rejected the node. */
  readonly reserve?: Reserve
  /**
   * Optional. Called if no node is feasible: may change what stands in the way. Source: the extension point PostFilter.
   */
  readonly postFilter?: PostFilter
}

/** Returns what a plugin changes for a pod that no node is feasible for. @param group set if it belongs to a group */
export type PostFilter = (group?: UnplacedGroup) => PostFiltered

/** A group of pods that is not scheduled. */
export interface UnplacedGroup {
  /** Whether some of its pods have nodes. */
  readonly hasNodes: boolean
  /** Uids of claims that are released for other pods of the group. */
  readonly released: Set<string>
}

/** Result of a plugin for a pod that no node is feasible for. */
export interface PostFiltered {
  /** Text for the pod's condition. */
  readonly message: string
  /** Optional. Writes what may make the pod schedulable. */
  write?(context: BindingContext): Promise<void>
}

/**
 * Returns the reservation of a node, or why the node cannot be reserved. Undefined if the plugin has nothing to
 * reserve.
 */
export type Reserve = (node: NodeInfo) => Reservation | Status | undefined

/** Objects that a plugin keeps for a pod from the choice of the node until the pod is bound. */
export interface Reservation {
  /**
   * Optional. Writes what the pod needs before it is bound. Resolves with a status if the pod must be scheduled again.
   * If it rejects, the pod is retried after its back-off. It may wait for other parts of the cluster, and other pods
   * are scheduled meanwhile.
   */
  preBind?(context: BindingContext): Promise<Status | undefined>
  /**
   * Optional. Releases the reservation, because the pod is not bound. Called in the reverse order of the plugins. Never
   * rejects.
   */
  unreserve?(context: BindingContext): Promise<void>
}

/** Waits until a pod may be bound. Resolves with a status if it must be scheduled again. */
export type Permit = (context: BindingContext) => Promise<Status | undefined>

/** Pods of groups that have a node, bound or assumed. */
export interface GroupProgress {
  /** Returns the uids of the pods of a group that have a node. */
  scheduled(group: string): ReadonlySet<string>
  /** Calls `wake` when a pod of the group gets a node, until the returned function is called. */
  onScheduled(group: string, wake: () => void): () => void
  /** Tries the other pods of a pod's group that have no node at once. */
  retry(pod: Pod): void
}

/** Access of a reservation to the API and to the time. */
export interface BindingContext {
  readonly client: ApiClient
  /** Clock of the API. */
  readonly clock: TimerClock
  /** Aborts when the pod is deleted or bound by another client, or the scheduler stops. */
  readonly signal: AbortSignal
  /**
   * Calls `wake` at each change of an object of the kind, until the returned function is called. The snapshot's objects
   * have the change when the turn of the event loop ends.
   */
  onChange(kind: ResourceKind<TypedObject>, wake: () => void): () => void
  /** Returns a new UUID. */
  newId(): string
  /** Records an event about a pod. */
  record(pod: Pod, event: PodEvent): void
}

/** An event about a pod. */
export type PodEvent = Pick<RecordedEvent<Pod>, 'type' | 'reason' | 'action' | 'note'>

/** Scores of one plugin for one pod. */
export interface NodeScorer {
  /** Returns the raw score of a node. */
  score(node: NodeInfo): number
  /** Optional. Scales raw scores to 0 to MAX_SCORE in place. `nodes` are in the order of the scores. */
  normalize?(scores: Float64Array, nodes: readonly NodeInfo[]): void
}

/**
 * A plugin of the scheduler. Each function takes a pod and an immutable snapshot, and keeps what it computes for the
 * pod in what it returns. Points that a plugin does not extend are omitted. Source:
 * https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/
 */
export interface Plugin {
  /** Upstream's name, as in configurations and metrics. */
  readonly name: string
  /**
   * Whether filter and scores read nothing but the node, the images of all nodes, and what `shapeOf` covers of the pod.
   * Their results are shared by all pods of that shape, and last until the node changes.
   */
  readonly isNodeLocal?: true
  /** Returns why the pod may not enter the queue. */
  preEnqueue?(pod: Pod, objects: ClusterObjects): Status | undefined
  /**
   * Optional. Reports whether an assigned pod that has come or gone may help a pod that the plugin rejected. May return
   * true in doubt, never false. Default: it may. Source: QueueingHint of each plugin.
   */
  isHelpedByPod?(pod: PodInfo, change: 'assigned pod added' | 'assigned pod deleted', other: PodInfo): boolean
  /**
   * Optional. Reports whether a node that has come or changed may help a pod that the plugin rejected. May return true
   * in doubt, never false. Default: it may. Source: QueueingHint of each plugin.
   *
   * @param node without pods
   * @param old as it was before the change, without pods; undefined if it is new
   */
  isHelpedByNode?(pod: PodInfo, node: NodeInfo, old: NodeInfo | undefined, objects: ClusterObjects): boolean
  /**
   * Optional. Computes in steps what `preFilter` needs, which then finds it. Returns undefined if that is little. The
   * snapshot does not change meanwhile.
   */
  prepareFilter?(pod: PodInfo, snapshot: Snapshot): Steps<unknown> | undefined
  /** Optional. Computes in steps what `preScore` with the same arguments needs. Returns undefined if that is little. */
  prepareScore?(pod: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): Steps<unknown> | undefined
  /** Prepares the filter of a pod. A plugin whose filter needs no preparation returns it always. */
  preFilter?(pod: PodInfo, snapshot: Snapshot): PreFiltered
  /**
   * Returns what a pod must wait for between the choice of its node and its binding. Undefined if nothing. The pod
   * counts for its node already. Source: the extension point Permit.
   */
  permit?(pod: Pod, objects: ClusterObjects, groups: GroupProgress): Permit | undefined
  /** Prepares the scores of a pod for the feasible nodes. SKIP adds nothing to any node. */
  preScore?(pod: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): NodeScorer | Status
}

/**
 * Scales scores so that the highest becomes MAX_SCORE. `isReversed`: the lowest becomes MAX_SCORE. Source:
 * DefaultNormalizeScore.
 */
export function normalizeByHighest(scores: Float64Array, isReversed: boolean): void {
  let highest = 0
  for (const score of scores) if (score > highest) highest = score
  for (let i = 0; i < scores.length; i++) {
    const scaled = highest === 0 ? 0 : Math.trunc((MAX_SCORE * (scores[i] ?? 0)) / highest)
    scores[i] = isReversed ? MAX_SCORE - scaled : scaled
  }
}
