import type { Pod } from '../../../api/core/v1.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { sortInSteps, startInTurns } from '../../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { podPriority } from '../../shared/pods.ts'
import { schedulerName } from '../attempt-reports.ts'
import type { Binder } from '../binder.ts'
import type { ClusterState } from '../cluster-state.ts'
import type { AttemptFailure } from '../failure-status.ts'
import { failureText } from '../failure-text.ts'
import type { BindingContext, GroupProgress } from '../framework.ts'
import type { NodeFinder } from '../node-finder.ts'
import type { NominatedPodsByNode } from '../nominated-pods.ts'
import { GANG_SCHEDULING } from '../plugins/gang-scheduling.ts'
import type { PodInfos } from '../pod-infos.ts'
import type { PostFilters } from '../post-filters.ts'
import type { Profile } from '../profile.ts'
import type { QueuedPod, SchedulingQueue } from '../queue.ts'
import type { GroupAttemptResult, SchedulerMetrics } from '../scheduler-metrics.ts'
import type { Snapshot } from '../snapshot.ts'
import { type GroupCondition, SCHEDULED } from './group-conditions.ts'
import { groupMismatch, treeMismatch } from './group-mismatch.ts'
import { type GroupOutcome, outcomesOf, untriedOutcomes } from './group-outcomes.ts'
import { chooseVictims, groupIneligibility, snapshotWithout, type VictimUnit, victimUnits } from './group-preemption.ts'
import { type GroupNode, type InvalidTree, leavesOf, nodesOf, treeOf } from './group-tree.ts'
import type { TrackedGroup } from './group-trees.ts'
import type { GroupMember } from './group-trial.ts'
import { AWAITING_VICTIMS, memberMessage } from './group-verdict.ts'
import { groupOf } from './pod-group.ts'
import { releaseAll, TreeTrial, type TreeTrialInput } from './tree-trial.ts'

/** Parts of the scheduler that schedule groups. */
export interface GroupCycleParts {
  readonly release: Release
  /** Whether pods of lower priority are deleted for a group as a whole. */
  readonly preemptsForGroups: boolean
  /** Whether groups have a preemption policy. */
  readonly hasPolicy: boolean
  /** Whether groups can be limited to one value of a label of nodes. */
  readonly limitsTopology: boolean
  readonly state: Pick<ClusterState, 'assume' | 'isAssigned' | 'snapshot'>
  readonly infos: PodInfos
  readonly pending: SchedulingQueue
  readonly finder: NodeFinder
  readonly postFilters: PostFilters
  readonly nominated: NominatedPodsByNode
  readonly binder: Binder
  readonly groups: GroupProgress
  readonly context: BindingContext
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number
  /** Returns a pod to the queue, and reports why. */
  readonly fail: (queued: QueuedPod, plugins: ReadonlySet<string>, failure: AttemptFailure) => void
  /** Ends the nomination of a pod that has a node now. */
  readonly endNomination: (pod: Pod, boundTo?: string) => void
  /** Keeps a pod out of the queue until its group exists. */
  readonly gate: (pod: Pod) => void
  /** Deletes pods for pods of a tree of groups. */
  readonly evict: (root: TrackedGroup, pods: readonly [Pod, ...Pod[]], victims: readonly VictimUnit[]) => Promise<void>
  readonly metrics: Pick<SchedulerMetrics, 'groupAttempts' | 'groupAttemptSeconds'>
  /** Writes the condition of a group in the background. */
  readonly report: (group: TrackedGroup, condition: GroupCondition) => void
}

/** Input of one cycle. */
interface TreeAttempt {
  readonly root: GroupNode
  /** Pods by the key of their group, in the order in which they are tried. */
  readonly members: ReadonlyMap<string, readonly GroupMember[]>
  readonly profile: Profile
}

/** Victims of a preemption, with the nodes that the pods are nominated to by uid. Or why there are none. */
type GroupPreemption =
  | { readonly nodes: ReadonlyMap<string, string>; readonly victims: readonly VictimUnit[] }
  | { readonly message: string }

/**
 * Schedules the pods of a tree of groups in one cycle, from 1.36 on: all pods that wait get their nodes in one
 * snapshot, and are bound if they are enough. Source: pkg/scheduler/schedule_one_podgroup.go.
 */
export class GroupCycle {
  readonly #parts: GroupCycleParts

  constructor(parts: GroupCycleParts) {
    this.#parts = parts
  }

  /** Schedules the tree of a pod that was taken from the queue. */
  async run(first: QueuedPod, profile: Profile, objects: Snapshot['objects']): Promise<void> {
    const reference = groupOf(first.pod)
    if (reference === undefined) return
    const taken: [QueuedPod, ...QueuedPod[]] = [first]
    try {
      const tree = await startInTurns(treeOf(reference.key, objects.trees), this.#parts.context.signal)
      if (tree === undefined) return this.#parts.gate(first.pod)
      if ('message' in tree) return await this.#failInvalid(first, tree, objects)
      const members = await this.#takeMembers(tree, taken, objects)
      const attempt = { root: tree, members, profile }
      const error = this.#mismatch(attempt, objects)
      if (error === undefined) await this.#schedule(attempt)
      else await this.#failAll(attempt, untriedOutcomes(tree, error))
    } catch (error) {
      await this.#failEach(taken, new Set(), errorMessage(error))
    }
  }

  /** Takes the pods of a tree from the queue that wait for a node, and adds them to those that are `taken`. */
  async #takeMembers(root: GroupNode, taken: [QueuedPod, ...QueuedPod[]], objects: Snapshot['objects']): Promise<TreeAttempt['members']> {
    const { context, infos, pending, state } = this.#parts
    const [first] = taken
    const own = groupOf(first.pod)?.key
    const members = new Map<string, readonly GroupMember[]>()
    for (const { key } of leavesOf(root)) {
      const group: GroupMember[] = []
      const add = (queued: QueuedPod): void => {
        if (!state.isAssigned(queued.pod)) group.push({ queued, info: infos.of(queued.pod) })
      }
      if (key === own) add(first)
      for (const pod of objects.podsOfGroup(key)) {
        if (turnIsSpent()) await nextTurn()
        for (const queued of pending.takeAlso([pod])) {
          taken.push(queued)
          add(queued)
        }
      }
      members.set(key, await startInTurns(sortInSteps(group, byEntry), context.signal))
    }
    return members
  }

  /** Returns pods to the queue after an error. */
  async #failEach(pods: readonly QueuedPod[], plugins: ReadonlySet<string>, message: string): Promise<void> {
    for (const queued of pods) {
      if (turnIsSpent()) await nextTurn()
      this.#parts.fail(queued, plugins, { reason: 'SchedulerError', message })
    }
  }

  #mismatch({ root, members }: TreeAttempt, objects: Snapshot['objects']): string | undefined {
    const { groups, hasPolicy, release } = this.#parts
    const isComplete = isSince(release, '1.37')
    const bound = (isComplete ? leavesOf(root) : []).flatMap(({ key }) => {
      const nodes = groups.scheduled(key)
      return nodes.size === 0 ? [] : objects.podsOfGroup(key).filter(({ metadata }) => nodes.has(metadata.uid ?? ''))
    })
    const waiting = [...members.values()].flat().map(({ queued }) => queued.pod)
    return treeMismatch(root, { hasPolicy }) ?? groupMismatch([...waiting, ...bound], root.rules, { isComplete, hasPolicy })
  }

  async #schedule(attempt: TreeAttempt): Promise<void> {
    const { preemptsForGroups, state } = this.#parts
    const snapshot = state.snapshot()
    const tried = await this.#trialOf(attempt).run(attempt.root, snapshot, false)
    tried.undo()
    const outcomes = outcomesOf(tried)
    if (tried.error !== undefined) return await this.#failAll(attempt, outcomes)
    if (tried.verdict.isFeasible) await this.#bind(attempt, outcomes)
    for (const outcome of outcomes) if (!outcome.verdict.isFeasible) this.#help(outcome)
    if (tried.verdict.isFeasible) return
    const preemption = preemptsForGroups ? await this.#preempt(attempt, snapshot) : undefined
    await this.#reject(attempt, outcomes, preemption)
  }

  #trialOf({ members, profile }: TreeAttempt): TreeTrial {
    const { context, finder, groups, limitsTopology, nominated, pending, random, release } = this.#parts
    const help = isSince(release, '1.37') ? undefined : this.#helperOf(profile)
    return new TreeTrial({
      ...{ context, finder, groups, limitsTopology, profile, random, release },
      nominated: name => nominated.on(name),
      hasMinimums: profile.plugins.some(({ plugin }) => plugin.name === GANG_SCHEDULING),
      membersOf: ({ key }) => (members.get(key) ?? []).filter(({ queued }) => pending.isPending(queued)),
      ...(help && { help }),
    })
  }

  /** In 1.36, pods of a group preempt others one by one, unless the group does. */
  #helperOf(profile: Profile): NonNullable<TreeTrialInput['help']> {
    const { limitsTopology, pending, postFilters, preemptsForGroups } = this.#parts
    return ({ rules }, snapshot) =>
      async ({ info, queued }, unfeasible) => {
        const limit = profile.preemption && preemptionLimit(rules.topologyKey, { limitsTopology, preemptsForGroups })
        if (limit !== undefined) return { message: failureText(unfeasible.infeasible, `preemption: not eligible due to ${limit}`) }
        return postFilters.help(info, snapshot, unfeasible, profile, () => pending.isPending(queued))
      }
  }

  /** Starts what plugins change for the pods of a group that is not scheduled. */
  #help({ group, results }: GroupOutcome): void {
    const { groups, postFilters } = this.#parts
    const unhelped = results.flatMap(one =>
      'isError' in one && one.postFilters ? [{ pod: one.member.info.pod, postFilters: one.postFilters }] : [],
    )
    postFilters.helpGroup(unhelped, groups.scheduled(group.key).size > 0)
  }

  /** Binds the pods that have nodes, of the feasible groups. The others return to the queue. */
  async #bind(attempt: TreeAttempt, outcomes: readonly GroupOutcome[]): Promise<void> {
    const { binder, context, endNomination, fail, pending, state } = this.#parts
    for (const outcome of outcomes) {
      if (turnIsSpent()) await nextTurn()
      if (!outcome.verdict.isFeasible) {
        await this.#rejectGroup(attempt, outcome, undefined)
        continue
      }
      for (const result of outcome.results) {
        if (turnIsSpent()) await nextTurn()
        const { queued, info } = result.member
        if (!pending.isPending(queued)) {
          if ('node' in result) await result.reservations.release(context)
        } else if ('node' in result) {
          state.assume(info, result.node.name)
          endNomination(queued.pod, result.node.name)
          binder.bindReserved(queued, info, result.node, result.reservations)
        } else fail(queued, result.plugins, { reason: 'Unschedulable', message: result.message, nominatedNode: result.nominatedNode })
      }
      this.#parts.report(outcome.group, SCHEDULED)
    }
    this.#count(attempt, 'scheduled')
  }

  /**
   * Chooses pods whose deletion makes room for the tree. Source: PodGroupPostFilter of the plugin DefaultPreemption.
   */
  async #preempt(attempt: TreeAttempt, snapshot: Snapshot): Promise<GroupPreemption | undefined> {
    const { root, profile } = attempt
    const { priority } = root.rules
    const { context } = this.#parts
    const members = [...attempt.members.values()].flat()
    if (profile.preemption === undefined || members.length === 0) return undefined
    if (nodesOf(root).some(({ rules }) => rules.topologyKey !== undefined))
      return { message: 'pod group preemption: not supported with topology constraints' }
    const ineligible = groupIneligibility(members, priority, snapshot)
    if (ineligible !== undefined) return { message: `pod group preemption: ${ineligible}` }
    const units = await startInTurns(victimUnits(snapshot, priority), context.signal)
    if (units.length === 0) return { message: 'pod group preemption: No preemption victims found for incoming preemptor' }
    const bare = await startInTurns(snapshotWithout(units, snapshot), context.signal)
    const { verdict, error, placements, undo } = await this.#trialOf(attempt).run(root, bare, true)
    undo()
    const nominated = (name: string) => this.#parts.nominated.on(name)
    let victims: readonly VictimUnit[] = []
    try {
      if (verdict.isFeasible) victims = await startInTurns(chooseVictims({ units, placements, bare, nominated }), context.signal)
    } finally {
      await releaseAll(placements, context)
    }
    if (!verdict.isFeasible) return { message: `pod group preemption: ${error ?? verdict.message}` }
    return { nodes: new Map(placements.map(({ member, node }) => [member.info.pod.metadata.uid ?? '', node.name])), victims }
  }

  /** Returns all pods to the queue. If there are victims, the pods are nominated to the nodes that become free. */
  async #reject(attempt: TreeAttempt, outcomes: readonly GroupOutcome[], preemption: GroupPreemption | undefined): Promise<void> {
    if (preemption && 'nodes' in preemption) this.#evict(attempt, preemption)
    let awaitsVictims = false
    for (const outcome of outcomes) if (await this.#rejectGroup(attempt, outcome, preemption)) awaitsVictims = true
    this.#count(attempt, awaitsVictims ? 'waiting_on_preemption' : 'unschedulable')
  }

  /** Returns the pods of one group to the queue. Reports whether they wait for the end of victims. */
  async #rejectGroup(
    { members }: TreeAttempt,
    { group, verdict, results }: GroupOutcome,
    preemption: GroupPreemption | undefined,
  ): Promise<boolean> {
    if (turnIsSpent()) await nextTurn()
    const { fail, release, report } = this.#parts
    const nodes = preemption && 'nodes' in preemption ? preemption.nodes : undefined
    const message = preemption && 'message' in preemption ? `${verdict.message}, ${preemption.message}` : verdict.message
    const awaitsVictims = nodes !== undefined || verdict === AWAITING_VICTIMS
    const byMember = new Map(results.map(one => [one.member, one]))
    for (const member of members.get(group.key) ?? []) {
      if (turnIsSpent()) await nextTurn()
      const one = byMember.get(member)
      const isPlaced = one !== undefined && 'node' in one
      const nominated = nodes ? nodes.get(member.info.pod.metadata.uid ?? '') : isPlaced ? one.node.name : one?.nominatedNode
      const isInVain = isPlaced || (one?.nominatedNode ?? '') !== ''
      const inVain = awaitsVictims ? message : memberMessage(message, release)
      fail(member.queued, one && !isPlaced ? one.plugins : new Set(), {
        reason: 'Unschedulable',
        message: (isPlaced || (isInVain && !awaitsVictims) ? inVain : one?.message) ?? verdict.message,
        nominatedNode: awaitsVictims ? nominated : isInVain ? '' : one?.nominatedNode,
      })
    }
    report(group, { status: 'False', reason: 'Unschedulable', message })
    return awaitsVictims
  }

  /** Nominates the pods, and deletes the victims in the background. */
  #evict({ root, members }: TreeAttempt, { nodes, victims }: Exclude<GroupPreemption, { readonly message: string }>): void {
    const { evict, nominated, pending, postFilters } = this.#parts
    const waiting = [...members.values()].flat().filter(({ queued }) => pending.isPending(queued))
    for (const { info } of waiting) {
      const node = nodes.get(info.pod.metadata.uid ?? '')
      if (node !== undefined) nominated.set(info, node)
    }
    const [first, ...others] = waiting.map(({ info }) => info.pod)
    if (first) postFilters.whileHeld([first, ...others], () => evict(root, [first, ...others], victims))
  }

  /** Returns all pods to the queue after an error. */
  async #failAll(attempt: TreeAttempt, outcomes: readonly GroupOutcome[]): Promise<void> {
    const { fail, report } = this.#parts
    for (const { group, results, error: message = '' } of outcomes) {
      const own = new Map(results.map(one => [one.member, one]))
      for (const member of attempt.members.get(group.key) ?? []) {
        if (turnIsSpent()) await nextTurn()
        const one = own.get(member)
        const text = one && 'isError' in one && one.isError ? one.message : message
        fail(member.queued, new Set(), { reason: 'SchedulerError', message: text, nominatedNode: '' })
      }
      report(group, { status: 'False', reason: 'SchedulerError', message })
    }
    this.#count(attempt, 'error')
  }

  /** Returns the pods of a hierarchy that is never scheduled to the queue. They wait for a change of its groups. */
  async #failInvalid(first: QueuedPod, { groups, message }: InvalidTree, objects: Snapshot['objects']): Promise<void> {
    const { pending, report } = this.#parts
    const others = groups.flatMap(({ key }) => pending.takeAlso(objects.podsOfGroup(key)))
    await this.#failEach([first, ...others], new Set([GANG_SCHEDULING]), message)
    for (const group of groups) report(group, { status: 'False', reason: group.isComposite ? 'Invalid' : 'SchedulerError', message })
    this.#observe(first, 'error')
  }

  #count({ members }: TreeAttempt, result: GroupAttemptResult): void {
    const [first] = [...members.values()].flat()
    if (first) this.#observe(first.queued, result)
  }

  #observe({ pod, takenAt }: QueuedPod, result: GroupAttemptResult): void {
    const { metrics } = this.#parts
    metrics.groupAttempts.child(schedulerName(pod), result).value++
    metrics.groupAttemptSeconds.child(schedulerName(pod), result).observe((performance.now() - takenAt) / 1000)
  }
}

/** Returns why pods of a group may not preempt others by themselves, in 1.36. Undefined if they may. */
const preemptionLimit = (
  topologyKey: string | undefined,
  { limitsTopology, preemptsForGroups }: Pick<GroupCycleParts, 'limitsTopology' | 'preemptsForGroups'>,
): string | undefined => {
  if (limitsTopology && topologyKey !== undefined) return 'placement-based pod group scheduling limitation'
  return preemptsForGroups ? 'workload aware preemption enabled' : undefined
}

/** Orders pods of higher priority first, then those that have waited longer. */
const byEntry = ({ queued: a }: GroupMember, { queued: b }: GroupMember): number =>
  podPriority(b.pod) - podPriority(a.pod) || a.firstEnteredAt - b.firstEnteredAt
