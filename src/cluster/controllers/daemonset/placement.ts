import type { Pod } from '../../../api/core/v1.types.ts'
import { isPodAvailable, isPodReady, isPodTerminal, isPodTerminating } from '../../shared/pods.ts'
import type { NodeFit, Placement } from './node-fit.ts'
import { isUpdated, oldestFirst, type TemplateIdentity, targetNode } from './pod.ts'

/** Rules by which daemon pods are judged. */
export interface PodRules extends TemplateIdentity {
  /** Time that a pod must be ready to be available. */
  readonly minReadySeconds: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether an update runs a new pod beside the old one on a node. */
  readonly isSurging: boolean
}

/** Pods to delete, and nodes on which to create one. */
export interface Changes {
  /** Names of nodes. A node is listed once. */
  readonly nodes: string[]
  readonly victims: Pod[]
}

/** Groups pods by their nodes. Pods that have ended and are being deleted do not count. */
export function podsByTarget(pods: readonly Pod[]): Map<string, Pod[]> {
  const groups = new Map<string, Pod[]>()
  for (const pod of pods) {
    if (isPodTerminal(pod) && isPodTerminating(pod)) continue
    const node = targetNode(pod)
    if (node === undefined) continue
    const group = groups.get(node)
    if (group) group.push(pod)
    else groups.set(node, [pod])
  }
  return groups
}

/**
 * Changes on one node, and its pods that have ended. Whether a failed one may be deleted depends on earlier failures.
 */
export interface NodeChanges {
  /** Whether a pod is created. */
  readonly creates: boolean
  /** Pods to delete that have not ended. */
  readonly victims: readonly Pod[]
  /** Pods that have failed, which are deleted with back-off. */
  readonly failed: readonly Pod[]
  readonly succeeded: readonly Pod[]
}

const NONE: readonly never[] = []

/**
 * Decides what happens on a node, apart from updates. Corresponds to podsShouldBeOnNode. @param pods pods of the node.
 * Undefined if it has none.
 */
export function changesOnNode({ shouldRun, shouldContinue }: NodeFit, pods: readonly Pod[] | undefined, rules: PodRules): NodeChanges {
  const live = (pods ?? []).filter(pod => !isPodTerminating(pod))
  if (!shouldContinue) return { creates: false, victims: live, failed: NONE, succeeded: NONE }
  if (shouldRun && pods === undefined) return { creates: true, victims: NONE, failed: NONE, succeeded: NONE }
  const running = live.filter(pod => !isPodTerminal(pod)).toSorted(oldestFirst)
  return {
    creates: rules.isSurging && running.length === 0 && shouldRun,
    victims: rules.isSurging ? surplusOfSurge(running, rules) : running.slice(1),
    failed: live.filter(({ status }) => status.phase === 'Failed'),
    succeeded: live.filter(({ status }) => status.phase === 'Succeeded'),
  }
}

/**
 * While a node surges, it keeps the oldest pod of either template: the old one until the new one is available, unless
 * the old one is no longer ready.
 * @param running from the oldest to the newest.
 */
function surplusOfSurge(running: readonly Pod[], rules: PodRules): Pod[] {
  const { minReadySeconds, now } = rules
  if (running.length <= 1) return []
  const newest = running.find(pod => isUpdated(pod, rules))
  const old = running.find(pod => !isUpdated(pod, rules))
  const surplus = running.filter(pod => pod !== newest && pod !== old)
  const isReplaced = newest !== undefined && old !== undefined && (!isPodReady(old) || isPodAvailable(newest, minReadySeconds, now))
  return isReplaced ? [...surplus, old] : surplus
}

/**
 * Returns pods that wait for a node that does not exist. The scheduler never binds them, and nothing else deletes them.
 */
export const podsWithoutNode = ({ nodes, pods }: Placement): Pod[] =>
  Array.from(pods).flatMap(([node, group]) => (nodes.has(node) ? [] : group.filter(({ spec }) => !spec.nodeName)))
