import { isLongStepDone, type Steps } from '../../lib/steps.ts'
import type { Feasible } from './find-node.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { Profile } from './profile.ts'
import type { PointObserver } from './scheduler-metrics.ts'
import type { Snapshot } from './snapshot.ts'

/** Nodes to choose from. */
export type Candidates = Pick<Feasible, 'nodes' | 'positions' | 'results'>

/** Options of the choice among feasible nodes. */
export interface NodeChoiceOptions {
  /** Returns a number from 0 to 1, 1 excluded. */
  random(): number
  /** Optional. Scores of extenders, in the order of the nodes. */
  readonly extra?: Float64Array | undefined
  /** Optional. Called with the times of PreScore and Score. */
  readonly observe?: PointObserver
}

/** Chooses the node with the highest score, at random among equal ones, in steps. */
export function* chooseNode(
  pod: PodInfo,
  snapshot: Snapshot,
  profile: Profile,
  candidates: Candidates,
  { random, extra, observe }: NodeChoiceOptions,
): Steps<NodeInfo | undefined> {
  const { nodes } = candidates
  if (nodes.length <= 1) return nodes[0]
  const totals = yield* totalScores(pod, snapshot, profile, candidates, observe)
  if (extra) for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] ?? 0) + (extra[i] ?? 0)
  let best: number[] = []
  let highest = Number.NEGATIVE_INFINITY
  for (const [i, total] of totals.entries())
    if (total > highest) {
      highest = total
      best = [i]
    } else if (total === highest) best.push(i)
  return nodes[best[Math.floor(random() * best.length)] ?? 0]
}

/** Returns the weighted sums of the plugins' scores in the order of the nodes, in steps. */
export function* totalScores(
  pod: PodInfo,
  snapshot: Snapshot,
  { plugins }: Profile,
  { nodes, positions, results }: Candidates,
  observe?: PointObserver,
): Steps<Float64Array> {
  const begun = performance.now()
  let prepared = 0
  const totals = new Float64Array(nodes.length)
  results?.addScores(totals, nodes, positions, snapshot.nodes.length)
  const scores = new Float64Array(nodes.length)
  for (const { plugin, weight } of plugins) {
    if (weight === 0 || (results && plugin.isNodeLocal)) continue
    const since = performance.now()
    const scorer = plugin.preScore?.(pod, snapshot, nodes)
    prepared += performance.now() - since
    if (scorer === undefined || 'code' in scorer) continue
    for (let i = 0; i < nodes.length; i++) {
      if (pod.isLarge || isLongStepDone()) yield
      scores[i] = scorer.score(nodes[i] as NodeInfo)
    }
    scorer.normalize?.(scores, nodes)
    for (let i = 0; i < nodes.length; i++) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0)
  }
  observe?.('PreScore', 'Success', prepared)
  observe?.('Score', 'Success', performance.now() - begun - prepared)
  return totals
}
