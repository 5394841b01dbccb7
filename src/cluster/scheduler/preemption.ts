import type { Pod } from '../../api/core/v1.types.ts'
import type { PodDisruptionBudget } from '../../api/policy/v1.types.ts'
import { isLongStepDone, type Steps } from '../../lib/steps.ts'
import { matchesLabels } from '../../meta/label-selector.ts'
import { timeMillis } from '../../meta/time.ts'
import { isPodTerminating, podCondition, podPriority } from '../shared/pods.ts'
import { selectorOf } from '../shared/selectors.ts'
import { failureText, type Infeasible } from './failure-text.ts'
import { type ActiveFilter, checkNode, type NominatedPods, prepareNode, withPods } from './find-node.ts'
import { type Status, unresolvable } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { PreemptionArgs } from './profile.ts'
import type { Snapshot } from './snapshot.ts'

/** A node that becomes feasible if some of its pods are deleted. */
export interface PreemptionCandidate {
  readonly node: NodeInfo
  /** Pods to delete, the most important first. */
  readonly victims: readonly PodInfo[]
  /** Number of victims that no disruption budget allows to delete. */
  readonly violations: number
}

/**
 * Result of a preemption. `message` is part of the pod's condition if there is no candidate. `isHopeless`: no deletion
 * helps, so that an earlier nomination is void, too.
 */
export type Preemption = { readonly candidate: PreemptionCandidate } | { readonly message: string; readonly isHopeless: boolean }

/** Input of a preemption. */
export interface PreemptionInput {
  readonly pod: PodInfo
  readonly snapshot: Snapshot
  readonly infeasible: Infeasible
  readonly filters: readonly ActiveFilter[]
  readonly nominated: NominatedPods
  readonly args: PreemptionArgs
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number
}

/** Reason of the condition of victims. */
export const BY_SCHEDULER = 'PreemptionByScheduler'

const NOT_HELPFUL = 'Preemption is not helpful for scheduling'
const NO_VICTIMS = unresolvable('No preemption victims found for incoming pod')

/** A preemption without a candidate. */
export type NoPreemption = Exclude<Preemption, { readonly candidate: PreemptionCandidate }>

/**
 * Looks for pods of lower priority whose deletion makes room for a pod, in steps. Returns at least one node that becomes
 * feasible. Source: pkg/scheduler/framework/preemption.
 */
export function* preemptionCandidates(input: PreemptionInput): Steps<readonly PreemptionCandidate[] | NoPreemption> {
  const { pod, snapshot, infeasible } = input
  const ineligible = ineligibility(pod.pod, snapshot, infeasible)
  if (ineligible !== undefined) return { message: `preemption: ${ineligible}`, isHopeless: false }
  const statuses = new Map<string, Status>(snapshot.nodes.map(({ name }) => [name, unresolvable(NOT_HELPFUL)]))
  const candidates = yield* findCandidates(input, statuses)
  if (candidates.length > 0) return candidates
  const message = failureText({ nodeCount: snapshot.nodes.length, preFilterReason: '', statuses, plugins: new Set() })
  return { message: `preemption: ${message}`, isHopeless: true }
}

/** Chooses among the candidates that extenders have left. */
export function preemptionOf(candidates: readonly PreemptionCandidate[]): Preemption {
  const candidate = bestCandidate(candidates)
  return candidate ? { candidate } : { message: 'preemption: no candidate node for preemption', isHopeless: false }
}

/** Returns why a pod may not preempt others. Undefined if it may. */
export function ineligibility(pod: Pod, snapshot: Snapshot, { statuses }: Infeasible): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
  const name = pod.status?.nominatedNodeName
  if (!name || statuses.get(name)?.code === 'UnschedulableAndUnresolvable') return undefined
  const isWaiting =
    snapshot.node(name)?.pods.some(({ pod: other }) => podPriority(other) < podPriority(pod) && isBeingPreempted(other)) ?? false
  return isWaiting ? 'not eligible due to a terminating pod on the nominated node.' : undefined
}

/** Reports whether a pod terminates because a preemption has deleted it. */
export function isBeingPreempted(pod: Pod): boolean {
  const target = podCondition(pod, 'DisruptionTarget')
  return isPodTerminating(pod) && target?.status === 'True' && target.reason === BY_SCHEDULER
}

/** Returns candidates, and records in `statuses` why other nodes are none. */
export function* findCandidates(input: PreemptionInput, statuses: Map<string, Status>): Steps<PreemptionCandidate[]> {
  const { snapshot, infeasible, args, random } = input
  const potential = snapshot.nodes.filter(({ name }) => infeasible.statuses.get(name)?.code === 'Unschedulable')
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = args
  const enough = Math.min(
    potential.length,
    Math.max(Math.trunc((potential.length * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute),
  )
  const budgets = snapshot.objects.list<PodDisruptionBudget>('PodDisruptionBudget')
  const candidates: PreemptionCandidate[] = []
  const offset = Math.floor(random() * potential.length)
  for (let i = 0; i < potential.length; i++) {
    const node = potential[(offset + i) % potential.length]
    if (node === undefined) continue
    if (isLongStepDone()) yield
    const result = yield* victimsOn(node, input, budgets)
    if ('code' in result) statuses.set(node.name, result)
    else candidates.push(result)
    if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break
  }
  return candidates
}

/**
 * Chooses the pods of a node to delete, in steps: as few and as unimportant ones as possible, and those that budgets
 * protect last. Source: SelectVictimsOnNode.
 */
function* victimsOn(
  node: NodeInfo,
  { pod, filters, nominated }: PreemptionInput,
  budgets: readonly PodDisruptionBudget[],
): Steps<PreemptionCandidate | Status> {
  const potential = node.pods.filter(({ pod: other }) => podPriority(other) < podPriority(pod.pod))
  if (potential.length === 0) return NO_VICTIMS
  let [room, active] = withPods(node, filters, potential, -1)
  yield* prepareNode(room, active)
  const rejected = checkNode(pod, room, active, nominated(node.name))
  if (rejected) return rejected.status
  potential.sort(byImportance)
  const violating = yield* violatingPods(potential, budgets)
  const victims: PodInfo[] = []
  let violations = 0
  for (const other of [...potential.filter(one => violating.has(one)), ...potential.filter(one => !violating.has(one))]) {
    const [with_, filtersWith] = withPods(room, active, [other], 1)
    if (checkNode(pod, with_, filtersWith, nominated(node.name)) === undefined) {
      room = with_
      active = filtersWith
    } else {
      victims.push(other)
      if (violating.has(other)) violations++
    }
  }
  return { node, victims: victims.sort(byImportance), violations }
}

/** Orders the more important pod first: the one with higher priority, then the one that has run longer. */
function byImportance({ pod: a }: PodInfo, { pod: b }: PodInfo): number {
  return podPriority(b) - podPriority(a) || startOf(a) - startOf(b)
}

/** Time at which a pod started, in milliseconds. A pod that has not started counts as starting now. */
const startOf = ({ status }: Pod): number => timeMillis(status?.startTime) ?? Number.MAX_SAFE_INTEGER

/** Finds the pods that a disruption budget does not allow to delete, if they are deleted in this order, in steps. */
export function* violatingPods(pods: readonly PodInfo[], budgets: readonly PodDisruptionBudget[]): Steps<Set<PodInfo>> {
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0)
  const selectors = budgets.map(({ spec }) => selectorOf(spec?.selector))
  const violating = new Set<PodInfo>()
  for (const info of pods) {
    if (isLongStepDone()) yield
    const { name = '', namespace, labels } = info.pod.metadata
    if (!labels || Object.keys(labels).length === 0) continue
    for (const [i, { metadata, status }] of budgets.entries()) {
      const selector = selectors[i] ?? []
      if (
        metadata.namespace !== namespace ||
        selector.length === 0 ||
        !matchesLabels(selector, labels) ||
        status?.disruptedPods?.[name] !== undefined
      )
        continue
      const left = (allowed[i] ?? 0) - 1
      allowed[i] = left
      if (left < 0) violating.add(info)
    }
  }
  return violating
}

/** Orders candidates by the rules that decide, the best first. */
const RULES: readonly ((candidate: PreemptionCandidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims: [first] }) => (first ? podPriority(first.pod) : 0),
  // The offset makes a candidate with fewer victims of negative priority the better one.
  ({ victims }) => victims.reduce((sum, { pod }) => sum + podPriority(pod) + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }) => -earliestStart(victims),
]

/** Earliest start of the victims with the highest priority. */
function earliestStart(victims: readonly PodInfo[]): number {
  const highest = Math.max(...victims.map(({ pod }) => podPriority(pod)))
  return Math.min(...victims.filter(({ pod }) => podPriority(pod) === highest).map(({ pod }) => startOf(pod)))
}

/** Chooses among candidates. Undefined if there is none. Source: pickOneNodeForPreemption. */
export function bestCandidate(candidates: readonly PreemptionCandidate[]): PreemptionCandidate | undefined {
  let left = candidates
  for (const rule of RULES) {
    if (left.length <= 1) break
    const values = left.map(rule)
    const lowest = Math.min(...values)
    left = left.filter((_, i) => values[i] === lowest)
  }
  return left[0]
}
