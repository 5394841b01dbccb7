import type { Pod } from '../../../api/core/v1.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { podPriority } from '../../shared/pods.ts'
import { type AttemptFailure, schedulerName } from '../attempt-reports.ts'
import type { Binder } from '../binder.ts'
import type { ClusterState } from '../cluster-state.ts'
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
import { groupMismatch } from './group-mismatch.ts'
import { chooseVictims, groupIneligibility, snapshotWithout, type VictimUnit, victimUnits } from './group-preemption.ts'
import { type GroupMember, GroupTrial, type Trial } from './group-trial.ts'
import { AWAITING_VICTIMS, type GroupVerdict, groupVerdict, memberMessage, noPlacement } from './group-verdict.ts'
import { type GroupReference, type GroupRules, groupOf, groupRules, membersOf } from './pod-group.ts'
import { placementsOf } from './topology-placements.ts'

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
  /** Deletes pods for pods of a group. */
  readonly evict: (group: GroupRules, pods: readonly [Pod, ...Pod[]], victims: readonly VictimUnit[]) => Promise<void>
  readonly metrics: Pick<SchedulerMetrics, 'groupAttempts' | 'groupAttemptSeconds'>
  /** Writes the condition of a group in the background. */
  readonly report: (group: GroupRules, condition: GroupCondition) => void
}

/** Input of one cycle. */
interface GroupAttempt {
  readonly reference: GroupReference
  readonly rules: GroupRules
  readonly members: readonly GroupMember[]
  readonly profile: Profile
  /** Number of pods of the group that must have nodes. */
  readonly minCount: number | undefined
}

/** A trial that has ended, in a snapshot. */
interface Tried {
  readonly trial: GroupTrial
  readonly result: Trial
  readonly verdict: GroupVerdict
}

/** Victims of a preemption, with the nodes that the pods are nominated to by uid. Or why there are none. */
type GroupPreemption =
  | { readonly nodes: ReadonlyMap<string, string>; readonly victims: readonly VictimUnit[] }
  | { readonly message: string }

/**
 * Schedules the pods of a group in one cycle, from 1.36 on: all pods that wait get their nodes in one snapshot, and are
 * bound if they are enough. Source: pkg/scheduler/schedule_one_podgroup.go.
 */
export class GroupCycle {
  readonly #parts: GroupCycleParts

  constructor(parts: GroupCycleParts) {
    this.#parts = parts
  }

  /** Schedules the group of a pod that was taken from the queue. */
  async run(first: QueuedPod, profile: Profile, objects: Snapshot['objects']): Promise<void> {
    const { gate, infos, pending, state } = this.#parts
    const reference = groupOf(first.pod)
    if (reference === undefined) return
    const rules = groupRules(first.pod, objects)
    if (rules === undefined) return gate(first.pod)
    const others = pending.takeAlso(membersOf(first.pod, objects).filter(({ metadata }) => metadata.uid !== first.pod.metadata.uid))
    const queued = [first, ...others].filter(({ pod }) => !state.isAssigned(pod)).sort(byEntry)
    const isGang = profile.plugins.some(({ plugin }) => plugin.name === GANG_SCHEDULING)
    try {
      const members = queued.map(each => ({ queued: each, info: infos.of(each.pod) }))
      const attempt = { reference, rules, members, profile, minCount: isGang ? rules.minCount : undefined }
      const error = this.#mismatch(attempt, objects)
      if (error === undefined) await this.#schedule(attempt)
      else this.#failAll(attempt, error)
    } catch (error) {
      for (const each of queued) this.#parts.fail(each, new Set(), { reason: 'SchedulerError', message: errorMessage(error) })
    }
  }

  #mismatch({ members, rules, reference }: GroupAttempt, objects: Snapshot['objects']): string | undefined {
    const [first] = members
    if (first === undefined) return undefined
    const isComplete = isSince(this.#parts.release, '1.37')
    const nodes = this.#parts.groups.scheduled(reference.key)
    const bound = isComplete ? membersOf(first.queued.pod, objects).filter(({ metadata }) => nodes.has(metadata.uid ?? '')) : []
    const { hasPolicy } = this.#parts
    return groupMismatch([...members.map(({ queued }) => queued.pod), ...bound], rules, { isComplete, hasPolicy })
  }

  async #schedule(attempt: GroupAttempt): Promise<void> {
    const snapshot = this.#parts.state.snapshot()
    const tried = this.#parts.limitsTopology ? await this.#tryPlacements(attempt, snapshot) : await this.#try(attempt, snapshot, false)
    const { trial, result, verdict } = tried
    trial.undo()
    if (result.error !== undefined) {
      await trial.release()
      return this.#failAll(attempt, `failed to schedule other pod from a pod group: ${result.error}`, tried)
    }
    if (verdict.isFeasible) return this.#bind(attempt, tried)
    await trial.release()
    const unhelped = result.results.flatMap(one =>
      'isError' in one && one.postFilters ? [{ pod: one.member.info.pod, postFilters: one.postFilters }] : [],
    )
    this.#parts.postFilters.helpGroup(unhelped, this.#parts.groups.scheduled(attempt.reference.key).size > 0)
    const preemption = this.#parts.preemptsForGroups ? await this.#preempt(attempt, snapshot) : undefined
    this.#reject(attempt, tried, preemption)
  }

  /** Looks for nodes in a snapshot. The snapshot has the pods on them until the trial is undone. */
  async #try({ members, profile, minCount, reference, rules }: GroupAttempt, snapshot: Snapshot, hasOwnNodes: boolean): Promise<Tried> {
    const { finder, nominated, context, groups, pending, postFilters, preemptsForGroups, limitsTopology, release } = this.#parts
    const present = members.filter(({ queued }) => pending.isPending(queued))
    const before = groups.scheduled(reference.key).size
    const verdictOf = (placed: number, count: number): GroupVerdict =>
      groupVerdict({ minCount, before, placed, remaining: present.length - count }, release)
    const trial = new GroupTrial({
      members: present,
      snapshot,
      profile,
      finder,
      nominated: name => nominated.on(name),
      context,
      hasOwnNodes,
      goesOn: (placed, count) => verdictOf(placed, count).isPossible,
      ...(!isSince(release, '1.37') && {
        help: async ({ info, queued }, unfeasible) => {
          const limit = profile.preemption && preemptionLimit(rules.topologyKey, { limitsTopology, preemptsForGroups })
          if (limit !== undefined) return { message: failureText(unfeasible.infeasible, `preemption: not eligible due to ${limit}`) }
          return postFilters.help(info, snapshot, unfeasible, profile, () => pending.isPending(queued))
        },
      }),
    })
    const result = await trial.run()
    const verdict = verdictOf(result.placements.length, result.results.length)
    const needsVictims = result.placements.some(placement => placement.needsVictims)
    return { trial, result, verdict: verdict.isFeasible && needsVictims ? AWAITING_VICTIMS : verdict }
  }

  /** Looks for nodes in each of the placements that the group allows, and chooses the one that has most pods. */
  async #tryPlacements(attempt: GroupAttempt, snapshot: Snapshot): Promise<Tried> {
    const { groups, random, release } = this.#parts
    const { rules, reference } = attempt
    const placements = placementsOf(rules.topologyKey, snapshot, groups.scheduled(reference.key))
    let first: Tried | undefined
    let best: { readonly placement: Snapshot; readonly count: number; readonly chance: number } | undefined
    for (const placement of placements) {
      const tried = await this.#try(attempt, placement, placement !== snapshot)
      tried.trial.undo()
      await tried.trial.release()
      if (tried.result.error !== undefined) return tried
      first ??= tried
      const [count, chance] = [tried.result.placements.length, random()]
      if (tried.verdict.isFeasible && (best === undefined || count > best.count || (count === best.count && chance > best.chance)))
        best = { placement, count, chance }
    }
    if (best) return this.#try(attempt, best.placement, best.placement !== snapshot)
    const none = first ?? (await this.#try({ ...attempt, members: [] }, snapshot, false))
    return { ...none, verdict: { isFeasible: false, isPossible: false, message: noPlacement(placements.length, release) } }
  }

  /** Binds the pods that have nodes. The others return to the queue. */
  async #bind(attempt: GroupAttempt, { result: { results } }: Tried): Promise<void> {
    const { binder, context, endNomination, fail, pending, state } = this.#parts
    for (const result of results) {
      const { queued, info } = result.member
      if (!pending.isPending(queued)) {
        if ('node' in result) await result.reservations.release(context)
      } else if ('node' in result) {
        state.assume(info, result.node.name)
        endNomination(queued.pod, result.node.name)
        binder.bindReserved(queued, info, result.node, result.reservations)
      } else fail(queued, result.plugins, { reason: 'Unschedulable', message: result.message, nominatedNode: result.nominatedNode })
    }
    this.#report(attempt, SCHEDULED, 'scheduled')
  }

  /**
   * Chooses pods whose deletion makes room for the group. Source: PodGroupPostFilter of the plugin DefaultPreemption.
   */
  async #preempt(attempt: GroupAttempt, snapshot: Snapshot): Promise<GroupPreemption | undefined> {
    const { members, rules, profile } = attempt
    const { signal } = this.#parts.context
    if (profile.preemption === undefined || members.length === 0) return undefined
    if (rules.topologyKey !== undefined) return { message: 'pod group preemption: not supported with topology constraints' }
    const ineligible = groupIneligibility(members, rules.priority, snapshot)
    if (ineligible !== undefined) return { message: `pod group preemption: ${ineligible}` }
    const units = await startInTurns(victimUnits(snapshot, rules.priority), signal)
    if (units.length === 0) return { message: 'pod group preemption: No preemption victims found for incoming preemptor' }
    const bare = await startInTurns(snapshotWithout(units, snapshot), signal)
    const { trial, result, verdict } = await this.#try(attempt, bare, true)
    trial.undo()
    const { placements } = result
    const nominated = (name: string) => this.#parts.nominated.on(name)
    let victims: readonly VictimUnit[] = []
    try {
      if (verdict.isFeasible) victims = await startInTurns(chooseVictims({ units, placements, bare, nominated }), signal)
    } finally {
      await trial.release()
    }
    if (!verdict.isFeasible) return { message: `pod group preemption: ${result.error ?? verdict.message}` }
    return { nodes: new Map(placements.map(({ member, node }) => [member.info.pod.metadata.uid ?? '', node.name])), victims }
  }

  /** Returns all pods to the queue. If there are victims, the pods are nominated to the nodes that become free. */
  #reject(attempt: GroupAttempt, { result, verdict }: Tried, preemption: GroupPreemption | undefined): void {
    const { fail, release } = this.#parts
    const { members } = attempt
    const nodes = preemption && 'nodes' in preemption ? preemption.nodes : undefined
    const message = preemption && 'message' in preemption ? `${verdict.message}, ${preemption.message}` : verdict.message
    const awaitsVictims = nodes !== undefined || verdict === AWAITING_VICTIMS
    if (preemption && 'nodes' in preemption) this.#evict(attempt, preemption)
    const results = new Map(result.results.map(one => [one.member, one]))
    for (const member of members) {
      const one = results.get(member)
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
    const outcome = awaitsVictims ? 'waiting_on_preemption' : 'unschedulable'
    this.#report(attempt, { status: 'False', reason: 'Unschedulable', message }, outcome)
  }

  /** Nominates the pods, and deletes the victims in the background. */
  #evict({ members, rules }: GroupAttempt, { nodes, victims }: Exclude<GroupPreemption, { readonly message: string }>): void {
    const { evict, nominated, pending, postFilters } = this.#parts
    const waiting = members.filter(({ queued }) => pending.isPending(queued))
    for (const { info } of waiting) {
      const node = nodes.get(info.pod.metadata.uid ?? '')
      if (node !== undefined) nominated.set(info, node)
    }
    const [first, ...others] = waiting.map(({ info }) => info.pod)
    if (first) postFilters.whileHeld([first, ...others], () => evict(rules, [first, ...others], victims))
  }

  /** Returns all pods to the queue after an error. */
  #failAll(attempt: GroupAttempt, message: string, tried?: Tried): void {
    const results = new Map(tried?.result.results.map(one => [one.member.queued, one]))
    for (const { queued } of attempt.members) {
      const own = results.get(queued)
      const text = own && 'isError' in own && own.isError ? own.message : message
      this.#parts.fail(queued, new Set(), { reason: 'SchedulerError', message: text, nominatedNode: '' })
    }
    this.#report(attempt, { status: 'False', reason: 'SchedulerError', message }, 'error')
  }

  #report({ members: [first], rules }: GroupAttempt, condition: GroupCondition, result: GroupAttemptResult): void {
    const { metrics, report } = this.#parts
    if (first) {
      const { pod, takenAt } = first.queued
      metrics.groupAttempts.child(schedulerName(pod), result).value++
      metrics.groupAttemptSeconds.child(schedulerName(pod), result).observe((performance.now() - takenAt) / 1000)
    }
    report(rules, condition)
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
const byEntry = (a: QueuedPod, b: QueuedPod): number => podPriority(b.pod) - podPriority(a.pod) || a.firstEnteredAt - b.firstEnteredAt
