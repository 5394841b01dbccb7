import type { Pod } from '../../../api/core/v1.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Feasible, Filtered } from '../find-node.ts'
import { type Status, unresolvable, unschedulable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PreemptionCandidate } from '../preemption.ts'

/** A program beside the scheduler that takes part in its decisions. Calls reject with an Error. */
export interface Extender {
  /** Name in messages. */
  readonly name: string
  /** Whether pods are scheduled without it if it fails. */
  readonly isIgnorable: boolean
  readonly filters: boolean
  /** Whether it binds pods in place of the scheduler. */
  readonly binds: boolean
  /** Factor of its scores. 0 if it gives none. */
  readonly weight: number
  /** Reports whether it regards a pod. */
  isInterested(pod: Pod): boolean
  filter(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ExtenderFilterResult>
  /** Resolves with scores from 0 to 10 by node. */
  prioritize(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>
  bind(pod: Pod, node: string, signal: AbortSignal): Promise<void>
  /** Whether it decides which pods are deleted for others. */
  readonly preempts: boolean
  /** Resolves with the victims that it accepts, by node. */
  preempt(pod: Pod, candidates: readonly PreemptionCandidate[], signal: AbortSignal): Promise<ReadonlyMap<string, ExtenderVictims>>
  /** Closes idle connections. Later calls open new ones. */
  close(): void
}

/** Nodes that an extender accepts, and its reasons against others. */
export interface ExtenderFilterResult {
  readonly feasible: ReadonlySet<string>
  readonly failed: ReadonlyMap<string, string>
  /** Reasons against nodes on which preemption does not help. */
  readonly unresolvable: ReadonlyMap<string, string>
}

/** Pods of a node that an extender lets a preemption delete. */
export interface ExtenderVictims {
  readonly uids: readonly string[]
  readonly violations: number
}

/** Name of all extenders among the plugins that reject a pod. Any change may help it. */
const EXTENDER = 'Extender'
/** Highest score of an extender, and of a plugin. */
const [HIGHEST, MAX_SCORE] = [10, 100]

/** Access of the calls for one pod. */
export interface ExtenderCalls {
  readonly signal: AbortSignal
  readonly logger: Logger
}

/**
 * Filters nodes, and the feasible ones by the extenders. If they do not accept the node that the pod is nominated to,
 * all nodes are searched. Source: evaluateNominatedNode of pkg/scheduler/schedule_one.go.
 *
 * @param find filters nodes by plugins. Returns the preferred node alone if it is feasible
 */
export async function findByExtenders(
  pod: Pod,
  extenders: readonly Extender[],
  calls: ExtenderCalls,
  find: (preferred: string | undefined) => Promise<Filtered> | Filtered,
): Promise<Filtered> {
  const preferred = pod.status.nominatedNodeName
  const found = await find(preferred)
  if (extenders.length === 0 || !('feasible' in found)) return found
  if (found.feasible.nodes[0]?.name !== preferred) return filterByExtenders(pod, found.feasible, extenders, calls)
  try {
    const filtered = await filterByExtenders(pod, found.feasible, extenders, calls)
    if ('feasible' in filtered) return filtered
  } catch (error) {
    if (calls.signal.aborted) throw error
    calls.logger.warn('an extender failed for a nominated node', { node: preferred, error: errorMessage(error) })
  }
  const all = await find(undefined)
  return 'feasible' in all ? filterByExtenders(pod, all.feasible, extenders, calls) : all
}

/**
 * Filters the feasible nodes of a pod by each extender in turn. Rejects with the error of one that is not ignorable.
 * Source: findNodesThatPassExtenders.
 */
export async function filterByExtenders(
  pod: Pod,
  feasible: Feasible,
  extenders: readonly Extender[],
  { signal, logger }: ExtenderCalls,
): Promise<Filtered> {
  const { infeasible, ...rejected } = feasible.rejected
  const statuses = new Map(infeasible.statuses)
  let left = feasible.nodes
  for (const extender of extenders) {
    if (left.length === 0) break
    if (!extender.filters || !extender.isInterested(pod)) continue
    try {
      const result = await extender.filter(pod, left, signal)
      for (const [name, reason] of result.failed) if (!result.unresolvable.has(name)) addReason(statuses, name, reason, unschedulable)
      for (const [name, reason] of result.unresolvable) addReason(statuses, name, reason, unresolvable)
      left = left.filter(({ name }) => result.feasible.has(name))
    } catch (error) {
      if (!extender.isIgnorable || signal.aborted) throw error
      logger.warn('an extender failed and was ignored', { extender: extender.name, error: errorMessage(error) })
    }
  }
  if (left.length === feasible.nodes.length) return { feasible }
  if (left.length === 0)
    return { ...rejected, infeasible: { ...infeasible, statuses, plugins: new Set([...infeasible.plugins, EXTENDER]) } }
  const kept = new Set(left)
  return { feasible: { ...feasible, nodes: left, positions: feasible.positions.filter((_, i) => kept.has(feasible.nodes[i] as NodeInfo)) } }
}

function addReason(statuses: Map<string, Status>, node: string, reason: string, make: (...reasons: string[]) => Status): void {
  const before = statuses.get(node)
  statuses.set(node, before && before.code === 'UnschedulableAndUnresolvable' ? before : make(...(before?.reasons ?? []), reason))
}

/**
 * Returns what extenders add to the scores of nodes, in their order. Undefined if none scores. An extender that fails
 * adds nothing. Source: prioritizeNodes.
 */
export async function scoreByExtenders(
  pod: Pod,
  nodes: readonly NodeInfo[],
  extenders: readonly Extender[],
  { signal, logger }: ExtenderCalls,
): Promise<Float64Array | undefined> {
  const scoring = extenders.filter(extender => extender.weight > 0 && extender.isInterested(pod))
  if (scoring.length === 0 || nodes.length <= 1) return undefined
  const all = await Promise.all(
    scoring.map(async extender => {
      try {
        return { weight: extender.weight, scores: await extender.prioritize(pod, nodes, signal) }
      } catch (error) {
        logger.warn('an extender did not score nodes', { extender: extender.name, error: errorMessage(error) })
        return undefined
      }
    }),
  )
  return Float64Array.from(nodes, ({ name }) => {
    const sum = all.reduce((total, each) => total + (each ? each.weight * (each.scores.get(name) ?? 0) : 0), 0)
    return (sum * MAX_SCORE) / HIGHEST
  })
}

/**
 * Lets each extender that preempts choose among candidates and their victims. Rejects with the error of one that is not
 * ignorable. Source: callExtenders of pkg/scheduler/framework/preemption.
 */
export async function preemptByExtenders(
  pod: Pod,
  candidates: readonly PreemptionCandidate[],
  extenders: readonly Extender[],
  { signal, logger }: ExtenderCalls,
): Promise<readonly PreemptionCandidate[]> {
  let left = candidates
  for (const extender of extenders) {
    if (left.length === 0) break
    if (!extender.preempts || !extender.isInterested(pod)) continue
    try {
      const accepted = await extender.preempt(pod, left, signal)
      left = left.flatMap(candidate => acceptedCandidate(candidate, accepted.get(candidate.node.name), extender))
    } catch (error) {
      if (!extender.isIgnorable || signal.aborted) throw error
      logger.warn('an extender failed and was ignored', { extender: extender.name, error: errorMessage(error) })
    }
  }
  return left
}

/** Returns a candidate with the victims that an extender accepts. None if it accepts none and is ignorable. */
function acceptedCandidate(
  { node }: PreemptionCandidate,
  accepted: ExtenderVictims | undefined,
  { name, isIgnorable }: Extender,
): PreemptionCandidate[] {
  if (accepted === undefined) return []
  const victims = accepted.uids.map(uid => {
    const victim = node.pods.find(({ pod }) => pod.metadata.uid === uid)
    if (victim) return victim
    throw new Error(`extender: ${name} claims to preempt pod (UID: ${uid}) on node: ${node.name}, but the pod is not found on that node`)
  })
  if (victims.length > 0) return [{ node, victims, violations: accepted.violations }]
  if (isIgnorable) return []
  throw new Error(`expected at least one victim pod on node ${JSON.stringify(node.name)}`)
}

/**
 * Lets the extenders bind a pod, and reports whether one has. One that fails is passed over if it is ignorable.
 * Otherwise its error is thrown. Source: extendersBinding of pkg/scheduler/schedule_one.go.
 */
export async function bindByExtenders(
  pod: Pod,
  node: string,
  extenders: readonly Extender[],
  { signal, logger }: ExtenderCalls,
): Promise<boolean> {
  for (const extender of extenders) {
    if (!extender.binds || !extender.isInterested(pod)) continue
    try {
      await extender.bind(pod, node, signal)
      return true
    } catch (error) {
      if (!extender.isIgnorable || signal.aborted) throw error
      logger.warn('an extender failed and was ignored', { extender: extender.name, error: errorMessage(error) })
    }
  }
  return false
}
