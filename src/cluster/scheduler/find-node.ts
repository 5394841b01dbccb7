import { podPriority } from '../shared/pods.ts'
import type { Infeasible } from './failure-text.ts'
import { type NodeFilter, type Reserve, type Status, unresolvable } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import { nodesToFind, type Profile } from './profile.ts'
import type { Snapshot } from './snapshot.ts'

/** Filter of a plugin that takes part in the cycle of a pod. */
export interface ActiveFilter {
  readonly plugin: string
  readonly filter: NodeFilter
}

/** Reservation of a plugin that takes part in the cycle of a pod. */
export interface ActiveReserve {
  readonly plugin: string
  readonly reserve: Reserve
}

/** Feasible nodes of a pod, at least one. */
export interface Feasible {
  readonly nodes: readonly NodeInfo[]
  /** Reservations to make on the node that is chosen. */
  readonly reserves: readonly ActiveReserve[]
  /** Index of the node after the last one that was checked, where the next cycle begins. */
  readonly next: number
}

/** Result of filtering. `filters` are those of the cycle, for preemption. */
export type Filtered = { readonly feasible: Feasible } | { readonly infeasible: Infeasible; readonly filters: readonly ActiveFilter[] }

/** Pods that are nominated to a node, by its name. They count as running for pods of lower or equal priority. */
export type NominatedPods = (node: string) => readonly PodInfo[]

/** Where a cycle begins. */
export interface FilterStart {
  /** Index of the first node that is checked. */
  readonly from: number
  readonly nominated: NominatedPods
  /** Optional. Name of a node that is chosen if it is feasible: the one that the pod is nominated to. */
  readonly preferred?: string | undefined
}

/** Filters the nodes of a snapshot for a pod. Stops when there are enough. Source: findNodesThatFitPod of pkg/scheduler/schedule_one.go. */
export function filterNodes(pod: PodInfo, snapshot: Snapshot, profile: Profile, { from, nominated, preferred }: FilterStart): Filtered {
  const nodeCount = snapshot.nodes.length
  const prepared = prepareFilters(pod, snapshot, profile)
  if ('reason' in prepared) {
    const { status, plugins, reason } = prepared
    const statuses = new Map(snapshot.nodes.map(({ name }) => [name, status]))
    return { infeasible: { nodeCount, preFilterReason: reason, statuses, plugins }, filters: [] }
  }
  const { filters, reserves, nodeNames, namers } = prepared
  const first = preferred === undefined ? undefined : snapshot.node(preferred)
  if (first && (nodeNames?.has(first.name) ?? true) && checkNode(pod, first, filters, nominated(first.name)) === undefined)
    return { feasible: { nodes: [first], reserves, next: from } }
  const statuses = new Map<string, Status>()
  const plugins = new Set<string>()
  const nodes: NodeInfo[] = []
  const enough = nodesToFind(nodeCount, profile.percentageOfNodesToScore)
  let checked = 0
  for (; checked < nodeCount && nodes.length < enough; checked++) {
    const node = snapshot.nodes[(from + checked) % nodeCount]
    if (node === undefined || (nodeNames && !nodeNames.has(node.name))) continue
    const rejected = checkNode(pod, node, filters, nominated(node.name))
    if (rejected === undefined) nodes.push(node)
    else {
      statuses.set(node.name, rejected.status)
      plugins.add(rejected.plugin)
    }
  }
  if (nodes.length > 0) return { feasible: { nodes, reserves, next: (from + checked) % nodeCount } }
  if (nodeNames) {
    const left = unresolvable(`node(s) didn't satisfy plugin(s) [${namers.join(' ')}]`)
    for (const { name } of snapshot.nodes) if (!nodeNames.has(name)) statuses.set(name, left)
    for (const name of namers) plugins.add(name)
  }
  return { infeasible: { nodeCount, preFilterReason: '', statuses, plugins }, filters }
}

interface Prepared {
  readonly filters: readonly ActiveFilter[]
  readonly reserves: readonly ActiveReserve[]
  readonly nodeNames: ReadonlySet<string> | undefined
  /** Plugins that restrict the names of nodes. */
  readonly namers: readonly string[]
}

interface Rejected {
  readonly status: Status
  readonly plugins: ReadonlySet<string>
  readonly reason: string
}

function prepareFilters(pod: PodInfo, snapshot: Snapshot, { plugins }: Profile): Prepared | Rejected {
  const filters: ActiveFilter[] = []
  const reserves: ActiveReserve[] = []
  const namers: string[] = []
  let nodeNames: ReadonlySet<string> | undefined
  for (const { plugin } of plugins) {
    const prepared = plugin.preFilter?.(pod, snapshot)
    if (prepared?.status && prepared.status.code !== 'Skip')
      return { status: prepared.status, plugins: new Set([plugin.name]), reason: prepared.status.reasons.join(', ') }
    if (prepared?.nodeNames) {
      const { nodeNames: names } = prepared
      namers.push(plugin.name)
      nodeNames = nodeNames ? new Set([...nodeNames].filter(name => names.has(name))) : names
      if (nodeNames.size === 0) {
        const reason =
          namers.length === 1 ? `node(s) didn't satisfy plugin ${plugin.name}` : `node(s) didn't satisfy plugin(s) [${namers.join(' ')}] simultaneously`
        return { status: unresolvable(reason), plugins: new Set(namers), reason }
      }
    }
    if (prepared === undefined || prepared.status) continue
    if (prepared.filter) filters.push({ plugin: plugin.name, filter: prepared.filter })
    if (prepared.reserve) reserves.push({ plugin: plugin.name, reserve: prepared.reserve })
  }
  return { filters, reserves, nodeNames, namers }
}

/**
 * Returns the first plugin that rejects the node, with its status. If pods of at least the same priority are nominated to the node, it must be feasible both with and without them: they may never run
 * there. Source: RunFilterPluginsWithNominatedPods.
 */
export function checkNode(
  pod: PodInfo,
  node: NodeInfo,
  filters: readonly ActiveFilter[],
  nominated: readonly PodInfo[],
): { plugin: string; status: Status } | undefined {
  const before = nominated.filter(other => other.pod.metadata.uid !== pod.pod.metadata.uid && podPriority(other.pod) >= podPriority(pod.pod))
  if (before.length > 0) {
    const rejected = firstRejection(...withPods(node, filters, before, 1))
    if (rejected !== undefined) return rejected
  }
  return firstRejection(node, filters)
}

/** Returns node and filters as they are with pods added to the node, or removed from it. */
export function withPods(node: NodeInfo, filters: readonly ActiveFilter[], pods: readonly PodInfo[], change: 1 | -1): [NodeInfo, readonly ActiveFilter[]] {
  let changedNode = node
  let changedFilters = filters
  for (const pod of pods) {
    changedNode = change === 1 ? changedNode.withPod(pod) : changedNode.withoutPod(pod)
    changedFilters = changedFilters.map(({ plugin, filter }) => ({ plugin, filter: filter.with?.(pod, node, change) ?? filter }))
  }
  return [changedNode, changedFilters]
}

function firstRejection(node: NodeInfo, filters: readonly ActiveFilter[]): { plugin: string; status: Status } | undefined {
  for (const { plugin, filter } of filters) {
    const status = filter.check(node)
    if (status !== undefined) return { plugin, status }
  }
  return undefined
}

/** Chooses the node with the highest score, at random among equal ones. `random` returns a number from 0 to 1, 1 excluded. */
export function chooseNode(pod: PodInfo, snapshot: Snapshot, profile: Profile, nodes: readonly NodeInfo[], random: () => number): NodeInfo | undefined {
  if (nodes.length <= 1) return nodes[0]
  const totals = totalScores(pod, snapshot, profile, nodes)
  let best: number[] = []
  let highest = Number.NEGATIVE_INFINITY
  for (const [i, total] of totals.entries())
    if (total > highest) {
      highest = total
      best = [i]
    } else if (total === highest) best.push(i)
  return nodes[best[Math.floor(random() * best.length)] ?? 0]
}

/** Returns the weighted sums of the plugins' scores, in the order of the nodes. */
export function totalScores(pod: PodInfo, snapshot: Snapshot, { plugins }: Profile, nodes: readonly NodeInfo[]): number[] {
  const totals = nodes.map(() => 0)
  for (const { plugin, weight } of plugins) {
    const scorer = plugin.preScore?.(pod, snapshot, nodes)
    if (scorer === undefined || 'code' in scorer) continue
    const scores = nodes.map(node => scorer.score(node))
    scorer.normalize?.(scores, nodes)
    for (const [i, score] of scores.entries()) totals[i] = (totals[i] ?? 0) + weight * score
  }
  return totals
}
