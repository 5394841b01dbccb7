import { errorMessage } from '../../../lib/error-message.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import type { Release } from '../../../lifecycle/release.ts'
import type { BindingContext, GroupProgress } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { Snapshot } from '../snapshot.ts'
import { type GroupNode, leavesOf } from './group-tree.ts'
import { GroupTrial, type TrialInput, type TrialPlacement, type TrialResult } from './group-trial.ts'
import { AWAITING_VICTIMS, type GroupVerdict, groupVerdict, NOTHING_PLACED, noPlacement } from './group-verdict.ts'
import { placementsOf } from './topology-placements.ts'

/** Input of the trials of one tree. */
export interface TreeTrialInput extends Pick<TrialInput, 'profile' | 'finder' | 'nominated' | 'context'> {
  readonly release: Release
  /** Whether groups can be limited to one value of a label of nodes. */
  readonly limitsTopology: boolean
  /** Whether a minimum counts: it does if the profile schedules gangs. */
  readonly hasMinimums: boolean
  readonly groups: GroupProgress
  /** Returns the pods of a group of pods that wait for a node. */
  readonly membersOf: (leaf: GroupNode) => TrialInput['members']
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number
  /** Optional. Helps a pod of a group that fits on no node. */
  readonly help?: (leaf: GroupNode, snapshot: Snapshot) => TrialInput['help']
}

/** Result of the trial of a group. */
export interface TriedGroup {
  readonly group: GroupNode
  readonly verdict: GroupVerdict
  /** Text of the error that ended the trial. */
  readonly error: string | undefined
  /** Results of the pods of a group of pods. */
  readonly results: readonly TrialResult[]
  /** Results of the groups of a composite group that were tried. */
  readonly children: readonly TriedGroup[]
  /** Nodes of all pods of the group. None unless it is feasible. */
  readonly placements: readonly TrialPlacement[]
  /** Takes the pods from the nodes of the snapshot again. */
  undo(): void
}

/**
 * Looks for nodes for the pods of a tree of groups, one group after the other, with the groups before it on their
 * nodes. A feasible group has its pods on the nodes of the snapshot until `undo`, and its reservations are kept. Any
 * other group leaves nothing behind. Source: podGroupSchedulingRecursiveAlgorithm of
 * pkg/scheduler/schedule_one_podgroup.go.
 */
export class TreeTrial {
  readonly #input: TreeTrialInput
  /** Pods that have a node in the trial, by uid. */
  readonly #placed = new Set<string>()

  constructor(input: TreeTrialInput) {
    this.#input = input
  }

  /** Tries a whole tree, which is feasible only if a pod gets a node. @param hasOwnNodes as in `TrialInput` */
  async run(root: GroupNode, snapshot: Snapshot, hasOwnNodes: boolean): Promise<TriedGroup> {
    const tried = await this.#try(root, snapshot, hasOwnNodes)
    return tried.verdict.isFeasible && tried.placements.length === 0 ? { ...tried, verdict: NOTHING_PLACED } : tried
  }

  /** Tries a group in each of the placements that it allows, and chooses the one that has most pods. */
  async #try(group: GroupNode, snapshot: Snapshot, hasOwnNodes: boolean): Promise<TriedGroup> {
    const { groups, limitsTopology, random, release } = this.#input
    if (!limitsTopology) return this.#tryIn(group, snapshot, hasOwnNodes)
    const { topologyKey } = group.rules
    const scheduled = new Set(topologyKey === undefined ? [] : leavesOf(group).flatMap(({ key }) => [...groups.scheduled(key)]))
    let placements: readonly Snapshot[]
    try {
      placements = placementsOf(topologyKey, snapshot, scheduled)
    } catch (error) {
      return { ...nothingTried(group), verdict: NOTHING_PLACED, error: errorMessage(error) }
    }
    const tryIn = async (placement: Snapshot): Promise<TriedGroup> =>
      placement === snapshot ? this.#tryIn(group, snapshot, hasOwnNodes) : inOuter(await this.#tryIn(group, placement, true), snapshot)
    let first: TriedGroup | undefined
    let best: { readonly placement: Snapshot; readonly count: number; readonly chance: number } | undefined
    for (const placement of placements) {
      const tried = await tryIn(placement)
      if (tried.error !== undefined || (tried.verdict.isFeasible && placements.length === 1)) return tried
      await this.#takeBack(tried)
      first ??= tried
      const [count, chance] = [tried.placements.length, random()]
      if (tried.verdict.isFeasible && (best === undefined || count > best.count || (count === best.count && chance > best.chance)))
        best = { placement, count, chance }
    }
    if (best) return tryIn(best.placement)
    const message = noPlacement(placements.length, release, group.isComposite ? first?.verdict.message : undefined)
    return { ...(first ?? nothingTried(group)), verdict: { isFeasible: false, isPossible: false, message } }
  }

  #tryIn(group: GroupNode, snapshot: Snapshot, hasOwnNodes: boolean): Promise<TriedGroup> {
    return group.isComposite ? this.#tryChildren(group, snapshot, hasOwnNodes) : this.#tryPods(group, snapshot, hasOwnNodes)
  }

  async #tryChildren(group: GroupNode, snapshot: Snapshot, hasOwnNodes: boolean): Promise<TriedGroup> {
    const children: TriedGroup[] = []
    let placed = 0
    const verdictOf = (): GroupVerdict => this.#verdict(group, { before: 0, placed, remaining: group.children.length - children.length })
    let verdict = verdictOf()
    let error: string | undefined
    for (const child of group.children) {
      if (!verdict.isPossible || error !== undefined) break
      if (turnIsSpent()) await nextTurn()
      const tried = await this.#try(child, snapshot, hasOwnNodes)
      children.push(tried)
      if (tried.verdict.isFeasible) placed++
      if (tried.error !== undefined) error = `composite pod group evaluation failed due to child error: ${tried.error}`
      verdict = verdictOf()
    }
    const undo = (): void => {
      for (const child of children.toReversed()) child.undo()
    }
    const placements = children.flatMap(child => child.placements)
    return this.#kept({ group, verdict, error, results: [], children, placements, undo })
  }

  async #tryPods(group: GroupNode, snapshot: Snapshot, hasOwnNodes: boolean): Promise<TriedGroup> {
    const { groups, membersOf, help, profile, finder, nominated, context } = this.#input
    const members = membersOf(group)
    const before = groups.scheduled(group.key).size
    const verdictOf = (placed: number, count: number): GroupVerdict =>
      this.#verdict(group, { before, placed, remaining: members.length - count })
    const helpOne = help?.(group, snapshot)
    const trial = new GroupTrial({
      ...{ members, snapshot, profile, finder, nominated, context, hasOwnNodes, placed: this.#placed },
      goesOn: (placed, count) => verdictOf(placed, count).isPossible,
      ...(helpOne && { help: helpOne }),
    })
    const { results, placements, error } = await trial.run()
    const verdict = verdictOf(placements.length, results.length)
    const needsVictims = placements.some(placement => placement.needsVictims)
    return this.#kept({
      ...{ group, results, placements, children: [] },
      error: error === undefined ? undefined : `failed to schedule other pod from a pod group: ${error}`,
      verdict: verdict.isFeasible && needsVictims ? AWAITING_VICTIMS : verdict,
      undo: () => trial.undo(),
    })
  }

  #verdict({ rules: { minCount } }: GroupNode, counts: { before: number; placed: number; remaining: number }): GroupVerdict {
    const { hasMinimums, release } = this.#input
    return groupVerdict({ minCount: hasMinimums ? minCount : undefined, ...counts }, release)
  }

  /** Takes back what a group that is not feasible has. */
  async #kept(tried: TriedGroup): Promise<TriedGroup> {
    if (tried.verdict.isFeasible && tried.error === undefined) return tried
    await this.#takeBack(tried)
    const verdict = tried.verdict.isFeasible ? NOTHING_PLACED : tried.verdict
    return { ...tried, verdict, placements: [], undo: () => {} }
  }

  async #takeBack({ placements, undo }: TriedGroup): Promise<void> {
    undo()
    await releaseAll(placements, this.#input.context)
  }
}

/** Releases the reservations of placements. */
export async function releaseAll(placements: readonly TrialPlacement[], context: BindingContext): Promise<void> {
  for (const { reservations } of placements.toReversed()) await reservations.release(context)
}

/** Puts the pods that have nodes in a part of a snapshot on the nodes of the whole. */
function inOuter(tried: TriedGroup, snapshot: Snapshot): TriedGroup {
  const replaced: NodeInfo[] = []
  for (const { member, node } of tried.placements) {
    const outer = snapshot.node(node.name)
    if (outer === undefined) continue
    replaced.push(outer)
    snapshot.replace(outer.withPods(member.info))
  }
  const undo = (): void => {
    tried.undo()
    for (const node of replaced.toReversed()) snapshot.replace(node)
  }
  return { ...tried, undo }
}

const nothingTried = (group: GroupNode): Omit<TriedGroup, 'verdict'> => ({
  ...{ group, error: undefined, results: [], children: [], placements: [] },
  undo: () => {},
})
