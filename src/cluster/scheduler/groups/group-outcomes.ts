import { type GroupNode, nodesOf } from './group-tree.ts'
import type { TrialResult } from './group-trial.ts'
import { type GroupVerdict, NOTHING_PLACED } from './group-verdict.ts'
import type { TriedGroup } from './tree-trial.ts'

/** Outcome of a cycle for one group of a tree. */
export interface GroupOutcome {
  readonly group: GroupNode
  readonly verdict: GroupVerdict
  /** Text of the error that ended the trial. */
  readonly error: string | undefined
  /** Results of the pods that were tried, of a group of pods. */
  readonly results: readonly TrialResult[]
}

/**
 * Returns the outcome of each group of a tree, parents first. A group that was not tried, or that is feasible below one
 * that is not, shares the outcome of its parent. Source: completeCompositePodGroupAlgorithmResult of
 * pkg/scheduler/schedule_one_podgroup.go.
 */
export function outcomesOf(tried: TriedGroup): readonly GroupOutcome[] {
  const outcomes: GroupOutcome[] = []
  const visit = (group: GroupNode, own: TriedGroup | undefined, parent: GroupOutcome | undefined): void => {
    const inherited = parent && (!parent.verdict.isFeasible || parent.error !== undefined) ? parent : undefined
    const source = own && !(inherited && own.verdict.isFeasible) ? own : inherited
    if (source === undefined) return
    const error = own?.error ?? inherited?.error
    const outcome = { group, verdict: source.verdict, error, results: own?.results ?? [] }
    outcomes.push(outcome)
    const children = new Map(own?.children.map(child => [child.group, child]))
    for (const child of group.children) visit(child, children.get(child), outcome)
  }
  visit(tried.group, tried, undefined)
  return outcomes
}

/** Returns the outcomes of a tree that was not tried because of an error. */
export const untriedOutcomes = (root: GroupNode, error: string): readonly GroupOutcome[] =>
  nodesOf(root).map(group => ({ group, verdict: NOTHING_PLACED, error, results: [] }))
