import type { PodDisruptionBudget } from '../../../api/policy/v1.types.ts'
import { isLongStepDone, isStepDone, type Steps, sortInSteps } from '../../../lib/steps.ts'
import { timeMillis } from '../../../meta/time.ts'
import { groupBy } from '../../shared/endpoint-slices.ts'
import { podPriority } from '../../shared/pods.ts'
import { checkNode, type NominatedPods } from '../find-node.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { isBeingPreempted, violatingPods } from '../preemption.ts'
import { type ClusterObjects, Snapshot } from '../snapshot.ts'
import type { TrackedGroup } from './group-trees.ts'
import type { GroupMember, TrialPlacement } from './group-trial.ts'
import { groupOf, rulesOf } from './pod-group.ts'

/** A pod with the name of its node. */
interface PlacedPod {
  readonly info: PodInfo
  readonly node: string
}

/** Kinds of units, the more important first among units of equal priority. */
const KINDS = ['composite group', 'group', 'pod'] as const
type UnitKind = (typeof KINDS)[number]

/** Pods that a preemption deletes together: one pod, or the pods of a group that is disrupted as a whole. */
export interface VictimUnit {
  readonly pods: readonly PlacedPod[]
  readonly priority: number
  readonly kind: UnitKind
  /** Time at which the first of the pods started, in milliseconds. Pods that have not started count as starting now. */
  readonly startedAt: number
}

/** Returns why a group may not preempt others. Undefined if it may. */
export function groupIneligibility(members: readonly GroupMember[], priority: number, snapshot: Snapshot): string | undefined {
  if (members.some(({ info }) => info.pod.spec.preemptionPolicy === 'Never')) return 'not eligible due to preemptionPolicy=Never.'
  const nodes = new Set(members.flatMap(({ info }) => info.pod.status?.nominatedNodeName || []))
  const isWaiting = [...nodes].some(name =>
    snapshot.node(name)?.pods.some(({ pod }) => podPriority(pod) < priority && isBeingPreempted(pod)),
  )
  return isWaiting ? 'not eligible due to a terminating pod on the nominated node.' : undefined
}

/** Finds the assigned pods of lower priority, as they can be deleted, in steps. The most important come first. */
export function* victimUnits(snapshot: Snapshot, priority: number): Steps<VictimUnit[]> {
  const groups = new Map<string, { readonly whole: TrackedGroup; readonly pods: PlacedPod[] }>()
  const units: VictimUnit[] = []
  for (const node of snapshot.nodes)
    for (const info of node.pods) {
      if (isStepDone()) yield
      const whole = wholeGroup(info, snapshot.objects)
      const placed = { info, node: node.name }
      const group = whole && groups.get(whole.key)
      if (group) group.pods.push(placed)
      else if (whole) groups.set(whole.key, { whole, pods: [placed] })
      else if (podPriority(info.pod) < priority) units.push(unitOf([placed], podPriority(info.pod), 'pod'))
    }
  for (const { pods, whole } of groups.values()) {
    const own = rulesOf(whole.object).priority
    if (own < priority) units.push(unitOf(pods, own, whole.isComposite ? 'composite group' : 'group'))
  }
  return yield* sortInSteps(units, byImportance)
}

function unitOf(pods: readonly PlacedPod[], priority: number, kind: UnitKind): VictimUnit {
  let startedAt = Number.MAX_SAFE_INTEGER
  for (const { info } of pods) startedAt = Math.min(startedAt, timeMillis(info.pod.status?.startTime) ?? Number.MAX_SAFE_INTEGER)
  return { pods, priority, kind, startedAt }
}

/** Returns the highest group above a pod that is disrupted as a whole. Undefined if there is none. */
function wholeGroup({ pod }: PodInfo, { trees }: ClusterObjects): TrackedGroup | undefined {
  const reference = groupOf(pod)
  return reference && trees.pathOf(reference.key).groups.findLast(({ object }) => rulesOf(object).isDisruptedWhole)
}

/**
 * Orders the more important unit first: by priority, by kind, larger groups, and what started earlier.
 * Source: moreImportantVictim of pkg/scheduler/framework/preemption/podgrouppreemption.go.
 */
function byImportance(a: VictimUnit, b: VictimUnit): number {
  return (
    b.priority - a.priority || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.pods.length - a.pods.length || a.startedAt - b.startedAt
  )
}

/** Makes a snapshot without the pods of the units, in steps. */
export function* snapshotWithout(units: readonly VictimUnit[], { nodes, objects }: Snapshot): Steps<Snapshot> {
  const gone = new Map<string, PodInfo[]>()
  for (const { pods } of units)
    for (const { info, node } of pods) {
      if (isStepDone()) yield
      const others = gone.get(node)
      if (others) others.push(info)
      else gone.set(node, [info])
    }
  const bare: NodeInfo[] = []
  for (const node of nodes) {
    if (isLongStepDone()) yield
    const pods = gone.get(node.name)
    bare.push(pods ? node.withoutPods(...pods) : node)
  }
  return new Snapshot(bare, objects)
}

/** Input of the choice of victims. */
export interface VictimChoice {
  /** Pods that could be deleted, the most important first. */
  readonly units: readonly VictimUnit[]
  /** Nodes of the group's pods once all units are gone, in the order of the pods. */
  readonly placements: readonly TrialPlacement[]
  /** Snapshot without the units and without the group's pods. */
  readonly bare: Snapshot
  readonly nominated: NominatedPods
}

/**
 * Chooses the units to delete, in steps: those with which the group's pods do not fit on their nodes. Units that a
 * disruption budget protects are kept first. Source: selectVictimsOnDomain.
 */
export function* chooseVictims({ units, placements, bare, nominated }: VictimChoice): Steps<VictimUnit[]> {
  const budgets = bare.objects.list<PodDisruptionBudget>('PodDisruptionBudget')
  const violating = yield* violatingPods(
    units.flatMap(({ pods }) => pods.map(({ info }) => info)),
    budgets,
  )
  const isProtected = ({ pods }: VictimUnit): boolean => pods.some(({ info }) => violating.has(info))
  const placed = new Set(placements.map(({ member }) => member.info.pod))
  const others = (name: string) => nominated(name).filter(({ pod }) => !placed.has(pod))
  const nodes = new Map<string, NodeInfo>()
  let tried: readonly FilteredPlacement[] = placements
  // A pod still fits on a node that has not changed, unless its filters read more than the node.
  const readsOthers = placements.some(({ filters }) => filters.some(({ filter }) => filter.with))
  const byNode = groupBy(placements, ({ node }) => node.name)
  const victims: VictimUnit[] = []
  for (const unit of [...units.filter(isProtected), ...units.filter(one => !isProtected(one))]) {
    const added = new Map<string, NodeInfo>()
    const nodeOf = (name: string): NodeInfo | undefined => added.get(name) ?? nodes.get(name) ?? bare.node(name)
    let changed = tried
    for (const { info, node: name } of unit.pods) {
      if (isStepDone()) yield
      const node = nodeOf(name)
      if (node === undefined) continue
      if (readsOthers) changed = yield* withPod(changed, info, node)
      added.set(name, node.withPods(info))
    }
    const concerned = readsOthers ? changed : [...added.keys()].flatMap(name => byNode.get(name) ?? [])
    if (yield* fits(concerned, nodeOf, others)) {
      tried = changed
      for (const [name, node] of added) nodes.set(name, node)
    } else victims.push(unit)
  }
  return yield* sortInSteps(victims, byImportance)
}

/** A pod of the group on its node, with the filters that decide whether it still fits. */
type FilteredPlacement = Pick<TrialPlacement, 'member' | 'node' | 'filters'>

/** Adds a pod on a node to the filters of all pods of the group. */
function* withPod(placements: readonly FilteredPlacement[], pod: PodInfo, node: NodeInfo): Steps<FilteredPlacement[]> {
  const changed: FilteredPlacement[] = []
  for (const each of placements) {
    if (isStepDone()) yield
    const { filters } = each
    const isChanged = filters.some(({ filter }) => filter.with)
    changed.push(
      isChanged
        ? {
            ...each,
            filters: filters.map(active => (active.filter.with ? { ...active, filter: active.filter.with(pod, node, 1) } : active)),
          }
        : each,
    )
  }
  return changed
}

/** Reports whether pods of a group fit on their nodes, one after the other. */
function* fits(
  placements: readonly FilteredPlacement[],
  nodeOf: (name: string) => NodeInfo | undefined,
  nominated: NominatedPods,
): Steps<boolean> {
  const taken = new Map<string, NodeInfo>()
  for (const { member, node: before, filters } of placements) {
    if (isLongStepDone()) yield
    const { info } = member
    const { name } = before
    const node = taken.get(name) ?? nodeOf(name)
    if (node === undefined || checkNode(info, node, filters, nominated(name)) !== undefined) return false
    taken.set(name, node.withPods(info))
  }
  return true
}
