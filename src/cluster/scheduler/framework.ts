import type { Pod } from '../../api/core/v1.types.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { Snapshot } from './snapshot.ts'

/** Highest score of a node. Source: MaxNodeScore of k8s.io/kube-scheduler/framework. */
export const MAX_SCORE = 100

/** `UnschedulableAndUnresolvable`: deleting pods of the node would not help. `Skip`: the plugin takes no further part for this pod. */
export type StatusCode = 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Skip'

/** Result of a plugin that does not accept a pod. Success is undefined. */
export interface Status {
  readonly code: StatusCode
  /** Texts for the pod's condition, in the plugin's order. */
  readonly reasons: readonly string[]
}

export const SKIP: Status = { code: 'Skip', reasons: [] }
export const unschedulable = (...reasons: string[]): Status => ({ code: 'Unschedulable', reasons })
export const unresolvable = (...reasons: string[]): Status => ({ code: 'UnschedulableAndUnresolvable', reasons })

/** Filter of one plugin for one pod. */
export interface NodeFilter {
  /** Returns why the pod cannot run on the node. Undefined if it can. */
  check(node: NodeInfo): Status | undefined
  /** Returns the filter as it is with a pod added to the node (1) or removed from it (-1). Omitted if only the node's own state counts. */
  with?(pod: PodInfo, node: NodeInfo, change: 1 | -1): NodeFilter
}

/** Result of `preFilter`: the filter of the pod, or a status. */
export interface PreFiltered {
  readonly status?: Status
  /** Optional. Names of the only nodes that can be feasible. */
  readonly nodeNames?: ReadonlySet<string>
  readonly filter?: NodeFilter
}

/** Scores of one plugin for one pod. */
export interface NodeScorer {
  /** Returns the raw score of a node. */
  score(node: NodeInfo): number
  /** Optional. Scales raw scores to 0 to MAX_SCORE in place. `nodes` are in the order of the scores. */
  normalize?(scores: number[], nodes: readonly NodeInfo[]): void
}

/**
 * A plugin of the scheduler. Each function takes a pod and an immutable snapshot, and keeps what it computes for the pod in what it returns. Points that a plugin does not extend are omitted. Source:
 * https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/
 */
export interface Plugin {
  readonly name: string
  /** Returns why the pod may not enter the queue. */
  preEnqueue?(pod: Pod): Status | undefined
  /** Prepares the filter of a pod. A plugin whose filter needs no preparation returns it always. */
  preFilter?(pod: PodInfo, snapshot: Snapshot): PreFiltered
  /** Prepares the scores of a pod for the feasible nodes. SKIP adds nothing to any node. */
  preScore?(pod: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): NodeScorer | Status
}

/** Scales scores so that the highest becomes MAX_SCORE. `isReversed`: the lowest becomes MAX_SCORE. Source: DefaultNormalizeScore. */
export function normalizeByHighest(scores: number[], isReversed: boolean): void {
  const highest = Math.max(0, ...scores)
  for (const [i, score] of scores.entries()) {
    const scaled = highest === 0 ? 0 : Math.trunc((MAX_SCORE * score) / highest)
    scores[i] = isReversed ? MAX_SCORE - scaled : scaled
  }
}
