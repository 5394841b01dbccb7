import { errorMessage } from '../../../lib/error-message.ts'
import { failureText } from '../failure-text.ts'
import type { ActiveFilter, NominatedPods, Unfeasible } from '../find-node.ts'
import type { BindingContext, PostFilter } from '../framework.ts'
import type { NodeFinder } from '../node-finder.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import type { Profile } from '../profile.ts'
import type { QueuedPod } from '../queue.ts'
import { Reservations } from '../reservations.ts'
import type { Snapshot } from '../snapshot.ts'

/** A pod of a group that is tried. */
export interface GroupMember {
  readonly queued: QueuedPod
  readonly info: PodInfo
}

/** The node that a pod has in a trial. */
export interface TrialPlacement {
  readonly member: GroupMember
  /** The node before the pod was added to it. */
  readonly node: NodeInfo
  readonly reservations: Reservations
  /** Filters of the pod, as they were before later pods of the group got nodes. */
  readonly filters: readonly ActiveFilter[]
  /** Whether the pod fits only once victims are gone. */
  readonly needsVictims: boolean
}

/** Why a pod has no node in a trial. */
export interface TrialFailure {
  readonly member: GroupMember
  readonly message: string
  /** Plugins that rejected the pod. Empty after an error. */
  readonly plugins: ReadonlySet<string>
  readonly isError: boolean
  readonly nominatedNode?: string | undefined
  /** Optional. Changes that plugins make for the pod, unless it was helped already. */
  readonly postFilters?: readonly PostFilter[]
}

export type TrialResult = TrialPlacement | TrialFailure

/** Result of a trial. Pods after one that failed with an error, or that cannot matter any more, have no result. */
export interface Trial {
  readonly results: readonly TrialResult[]
  readonly placements: readonly TrialPlacement[]
  /** Text of the error that ended the trial. */
  readonly error: string | undefined
}

/** Input of a trial. */
export interface TrialInput {
  readonly members: readonly GroupMember[]
  readonly snapshot: Snapshot
  readonly profile: Profile
  readonly finder: NodeFinder
  readonly nominated: NominatedPods
  readonly context: BindingContext
  /** Whether the nodes are others than those of the cluster. */
  readonly hasOwnNodes: boolean
  /** Uids of pods that have a node in this trial, or in one of another group before it. Kept up to date. */
  readonly placed: Set<string>
  /** Reports whether further pods are tried. @param placed number of pods that have a node, of `tried` pods */
  readonly goesOn: (placed: number, tried: number) => boolean
  /**
   * Optional. Helps a pod that fits on no node. May resolve with a node that becomes free for it, in `nominatedNode`.
   */
  readonly help?: (
    member: GroupMember,
    unfeasible: Unfeasible,
  ) => Promise<Omit<TrialFailure, 'member' | 'plugins' | 'isError' | 'postFilters'>>
}

/**
 * Looks for a node for each pod of a group in turn, with the pods before it on their nodes. Until `undo`, the snapshot
 * has the pods on the nodes. The caller releases the reservations, unless it uses them. Source: podGroupSchedulingDefaultAlgorithm of
 * pkg/scheduler/schedule_one_podgroup.go.
 */
export class GroupTrial {
  readonly #input: TrialInput
  readonly #placements: TrialPlacement[] = []

  constructor(input: TrialInput) {
    this.#input = input
  }

  async run(): Promise<Trial> {
    const { members, goesOn, context } = this.#input
    const results: TrialResult[] = []
    for (const member of goesOn(0, 0) ? members : []) {
      if (context.signal.aborted) return { results, placements: this.#placements, error: 'the scheduler stops' }
      const result = await this.#place(member)
      results.push(result)
      if ('isError' in result && result.isError) return { results, placements: this.#placements, error: result.message }
      if (!goesOn(this.#placements.length, results.length)) break
    }
    return { results, placements: this.#placements, error: undefined }
  }

  /** Takes the pods from the nodes of the snapshot again. */
  undo(): void {
    const { placed, snapshot } = this.#input
    for (const { node, member } of this.#placements.toReversed()) {
      snapshot.replace(node)
      placed.delete(member.info.pod.metadata.uid ?? '')
    }
  }

  async #place(member: GroupMember): Promise<TrialResult> {
    const { snapshot, profile, finder, hasOwnNodes, help } = this.#input
    try {
      const found = await finder.find(member.info, snapshot, profile, { nominated: this.#nominated, hasOwnNodes })
      if ('node' in found) return await this.#reserve(member, found.node, found.feasible.rejected.filters, found.feasible.reserves)
      const { plugins } = found.infeasible
      const helped = (await help?.(member, found)) ?? { message: failureText(found.infeasible), postFilters: found.postFilters }
      const node = 'nominatedNode' in helped && helped.nominatedNode ? snapshot.node(helped.nominatedNode) : undefined
      if (node)
        this.#add({ member, node, reservations: Reservations.make([], node).reservations, filters: found.filters, needsVictims: true })
      return { member, plugins, isError: false, ...helped }
    } catch (error) {
      return { member, plugins: new Set(), isError: true, message: errorMessage(error) }
    }
  }

  async #reserve(
    member: GroupMember,
    node: NodeInfo,
    filters: readonly ActiveFilter[],
    reserves: Parameters<typeof Reservations.make>[0],
  ): Promise<TrialResult> {
    const { reservations, rejection } = Reservations.make(reserves, node)
    if (rejection === undefined) return this.#add({ member, node, reservations, filters, needsVictims: false })
    await reservations.release(this.#input.context)
    const plugins = new Set([rejection.plugin])
    const statuses = new Map([[node.name, rejection.status]])
    return { member, plugins, isError: false, message: failureText({ nodeCount: 1, preFilterReason: '', statuses, plugins }) }
  }

  #add(placement: TrialPlacement): TrialPlacement {
    this.#input.snapshot.replace(placement.node.withPods(placement.member.info))
    this.#placements.push(placement)
    this.#input.placed.add(placement.member.info.pod.metadata.uid ?? '')
    return placement
  }

  /** Nominated pods without those that have a node in the trial. */
  readonly #nominated: NominatedPods = name => {
    const { nominated, placed } = this.#input
    const pods = nominated(name)
    return pods.length === 0 ? pods : pods.filter(({ pod }) => !placed.has(pod.metadata.uid ?? ''))
  }
}
