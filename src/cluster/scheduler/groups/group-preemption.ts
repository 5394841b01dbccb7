import type { PodDisruptionBudget } from '../../../api/policy/v1.types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { timeMillis } from '../../../meta/time.ts'
import { podPriority } from '../../shared/pods.ts'
import { type ActiveFilter, checkNode, type NominatedPods } from '../find-node.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { isBeingPreempted, violatingPods } from '../preemption.ts'
import { type ClusterObjects, Snapshot } from '../snapshot.ts'
import type { GroupMember, TrialPlacement } from './group-trial.ts'
import { groupOf, groupRules } from './pod-group.ts'

/** Pods that a preemption deletes together: one pod, or the pods of a group that is disrupted as a whole. */
export interface VictimUnit {
  readonly pods: readonly { readonly info: PodInfo; readonly node: string }[]
  readonly priority: number
  readonly isGroup: boolean
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

/** Returns the assigned pods of lower priority, as they can be deleted. */
export function victimUnits(snapshot: Snapshot, priority: number): VictimUnit[] {
  const groups = new Map<string, { info: PodInfo; node: string }[]>()
  const priorities = new Map<string, number>()
  const units: VictimUnit[] = []
  for (const node of snapshot.nodes)
    for (const info of node.pods) {
      const group = wholeGroup(info, snapshot.objects)
      const placed = { info, node: node.name }
      if (group === undefined) units.push({ pods: [placed], priority: podPriority(info.pod), isGroup: false })
      else {
        priorities.set(group.key, group.priority)
        groups.set(group.key, [...(groups.get(group.key) ?? []), placed])
      }
    }
  for (const [key, pods] of groups) units.push({ pods, priority: priorities.get(key) ?? 0, isGroup: true })
  return units.filter(unit => unit.priority < priority).sort(byImportance)
}

function wholeGroup({ pod }: PodInfo, objects: ClusterObjects): { readonly key: string; readonly priority: number } | undefined {
  const reference = groupOf(pod)
  const rules = reference && groupRules(pod, objects)
  return reference && rules?.isDisruptedWhole ? { key: reference.key, priority: rules.priority } : undefined
}

const startOf = ({ info }: { readonly info: PodInfo }): number => timeMillis(info.pod.status?.startTime) ?? Number.MAX_SAFE_INTEGER

/**
 * Orders the more important unit first: by priority, groups before pods, larger groups, and what started earlier.
 * Source: moreImportantVictim of pkg/scheduler/framework/preemption/podgrouppreemption.go.
 */
function byImportance(a: VictimUnit, b: VictimUnit): number {
  const start = ({ pods }: VictimUnit): number => Math.min(...pods.map(startOf))
  return (
    b.priority - a.priority ||
    Number(b.isGroup) - Number(a.isGroup) ||
    (a.isGroup ? b.pods.length - a.pods.length : 0) ||
    start(a) - start(b)
  )
}

/** Returns a snapshot without the pods of the units. */
export function snapshotWithout(units: readonly VictimUnit[], { nodes, objects }: Snapshot): Snapshot {
  const gone = new Map<string, PodInfo[]>()
  for (const { pods } of units) for (const { info, node } of pods) gone.set(node, [...(gone.get(node) ?? []), info])
  return new Snapshot(
    nodes.map(node => node.withoutPods(...(gone.get(node.name) ?? []))),
    objects,
  )
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
  const violating = violatingPods(
    units.flatMap(({ pods }) => pods.map(({ info }) => info)),
    budgets,
  )
  const isProtected = ({ pods }: VictimUnit): boolean => pods.some(({ info }) => violating.has(info))
  const others = (name: string) => nominated(name).filter(info => !placements.some(({ member }) => member.info.pod === info.pod))
  const nodes = new Map<string, NodeInfo>()
  let filters = placements.map(placement => placement.filters)
  const victims: VictimUnit[] = []
  for (const unit of [...units.filter(isProtected), ...units.filter(one => !isProtected(one))]) {
    if (isLongStepDone()) yield
    const added = new Map(nodes)
    let changed = filters
    for (const { info, node: name } of unit.pods) {
      const node = added.get(name) ?? bare.node(name)
      if (node === undefined) continue
      changed = changed.map(each => withPod(each, info, node))
      added.set(name, node.withPods(info))
    }
    if (fits(placements, changed, name => added.get(name) ?? bare.node(name), others)) {
      filters = changed
      for (const [name, node] of added) nodes.set(name, node)
    } else victims.push(unit)
  }
  return victims.sort(byImportance)
}

const withPod = (filters: readonly ActiveFilter[], pod: PodInfo, node: NodeInfo): readonly ActiveFilter[] =>
  filters.map(active => (active.filter.with ? { ...active, filter: active.filter.with(pod, node, 1) } : active))

/** Reports whether the pods of a group fit on their nodes, one after the other. */
function fits(
  placements: readonly TrialPlacement[],
  filters: readonly (readonly ActiveFilter[])[],
  nodeOf: (name: string) => NodeInfo | undefined,
  nominated: NominatedPods,
): boolean {
  const taken = new Map<string, NodeInfo>()
  return placements.every(({ member: { info }, node: { name } }, i) => {
    const node = taken.get(name) ?? nodeOf(name)
    if (node === undefined || checkNode(info, node, filters[i] ?? [], nominated(name)) !== undefined) return false
    taken.set(name, node.withPods(info))
    return true
  })
}
