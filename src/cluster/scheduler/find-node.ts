import { errorMessage } from '../../lib/error-message.ts'
import { isLongStepDone, type Steps } from '../../lib/steps.ts'
import { podPriority } from '../shared/pods.ts'
import type { Infeasible } from './failure-text.ts'
import { type NodeFilter, type PostFilter, type Reserve, type Status, unresolvable } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import { nodesToFind, type Profile } from './profile.ts'
import type { PointObserver } from './scheduler-metrics.ts'
import { type Rejection, type ShapeCache, ShapeResults } from './shape-results.ts'
import type { Snapshot } from './snapshot.ts'

/** Filter of a plugin that takes part in the cycle of a pod. */
export interface ActiveFilter {
  /** Name of the plugin, for messages. */
  readonly plugin: string
  readonly filter: NodeFilter
  /** Whether only the node decides, so that pods of one shape share the result. */
  readonly isNodeLocal?: boolean
}

/** Reservation of a plugin that takes part in the cycle of a pod. */
export interface ActiveReserve {
  readonly plugin: string
  readonly reserve: Reserve
}

/** Feasible nodes of a pod, at least one. */
export interface Feasible {
  /** Nodes in the order in which they were checked. */
  readonly nodes: readonly NodeInfo[]
  /** Positions of the nodes in the snapshot. */
  readonly positions: readonly number[]
  /** Omitted if the pod is the first one of its shape. */
  readonly results?: ShapeResults | undefined
  /** Reservations to make on the node that is chosen. */
  readonly reserves: readonly ActiveReserve[]
  /** Index of the node after the last one that was checked, where the next cycle begins. */
  readonly next: number
  /** The result if none of the nodes were feasible. */
  readonly rejected: Unfeasible
}

/** No node is feasible for a pod. */
export interface Unfeasible {
  readonly infeasible: Infeasible
  /** Filters of the cycle, for preemption. */
  readonly filters: readonly ActiveFilter[]
  /** Called in order if no node is feasible. */
  readonly postFilters: readonly PostFilter[]
}

/** Result of filtering. */
export type Filtered = { readonly feasible: Feasible } | Unfeasible

/** Pods that are nominated to a node, by its name. They count as running for pods of lower or equal priority. */
export type NominatedPods = (node: string) => readonly PodInfo[]

/** Where a cycle begins. */
export interface FilterStart {
  /** Index of the first node that is checked. */
  readonly from: number
  /** Pods that wait for the room of their victims. */
  readonly nominated: NominatedPods
  /** Optional. Name of a node that is chosen if it is feasible: the one that the pod is nominated to. */
  readonly preferred?: string | undefined
  /** Optional. Results of earlier cycles. */
  readonly shapes?: ShapeCache
  /** Optional. Called after PreFilter and after Filter. */
  readonly observe?: PointObserver
}

/** No pod is nominated to any node. */
export const NONE_NOMINATED: NominatedPods = () => []

/**
 * Filters the nodes of a snapshot for a pod, in steps. Stops when there are enough. Source: findNodesThatFitPod of
 * pkg/scheduler/schedule_one.go.
 */
export function* filterNodes(pod: PodInfo, snapshot: Snapshot, profile: Profile, start: FilterStart): Steps<Filtered> {
  const { from, nominated, preferred } = start
  const nodeCount = snapshot.nodes.length
  const begun = performance.now()
  for (const { plugin } of profile.plugins) {
    const steps = plugin.prepareFilter?.(pod, snapshot)
    if (steps) yield* steps
  }
  const prepared = yield* prepareFilters(pod, snapshot, profile)
  start.observe?.('PreFilter', 'reason' in prepared ? prepared.status.code : 'Success', performance.now() - begun)
  if ('reason' in prepared) {
    const { status, plugins, reason } = prepared
    const statuses = new Map(snapshot.nodes.map(({ name }) => [name, status]))
    return { infeasible: { nodeCount, preFilterReason: reason, statuses, plugins }, filters: [], postFilters: prepared.postFilters }
  }
  const { filters, reserves, nodeNames } = prepared
  const first = preferred === undefined ? undefined : snapshot.position(preferred)
  const firstNode = first === undefined ? undefined : snapshot.nodes[first]
  if (firstNode) yield* prepareNode(firstNode, filters)
  if (
    first !== undefined &&
    firstNode &&
    (nodeNames?.has(firstNode.name) ?? true) &&
    checkNode(pod, firstNode, filters, nominated(firstNode.name)) === undefined
  )
    return {
      feasible: {
        nodes: [firstNode],
        positions: [first],
        reserves,
        next: from,
        rejected: { infeasible: noneRejected(nodeCount), filters, postFilters: prepared.postFilters },
      },
    }
  const local = filters.findIndex(({ isNodeLocal }) => !isNodeLocal)
  const localFilters = local === -1 ? filters : filters.slice(0, local)
  const newResults = () => new ShapeResults(pod, snapshot, profile.plugins, localFilters)
  const results = start.shapes?.of(pod, profile, snapshot, localFilters.length, newResults)
  const check: NodeCheck = (node, position) => {
    const others = nominated === NONE_NOMINATED ? NO_PODS : nominated(node.name)
    if (results === undefined || others.length > 0) return checkNode(pod, node, filters, others)
    return results.check(node, position) ?? (local === -1 ? undefined : firstRejection(node, filters, local))
  }
  const filterBegun = performance.now()
  const found = yield* tryNodes(snapshot, profile, from, { ...prepared, results, check })
  start.observe?.('Filter', 'Success', performance.now() - filterBegun)
  return found
}

/** Nominated pods of most nodes. */
const NO_PODS: readonly PodInfo[] = []

/** Returns why a node is rejected. */
type NodeCheck = (node: NodeInfo, position: number) => Rejection | undefined

/** Checks nodes from the given one on until enough are feasible. */
function* tryNodes(
  snapshot: Snapshot,
  profile: Profile,
  from: number,
  {
    filters,
    reserves,
    postFilters,
    nodeNames,
    namers,
    isSlow,
    results,
    check,
  }: Prepared & { readonly results: ShapeResults | undefined; readonly check: NodeCheck },
): Steps<Filtered> {
  const nodeCount = snapshot.nodes.length
  const named = nodeNames && [...nodeNames].flatMap(name => snapshot.position(name) ?? [])
  const count = named?.length ?? nodeCount
  const statuses = new Map<string, Status>()
  const plugins = new Set<string>()
  const nodes: NodeInfo[] = []
  const positions: number[] = []
  const enough = nodesToFind(count, profile.percentageOfNodesToScore)
  const hasPreparation = filters.some(({ filter }) => filter.prepare)
  let checked = 0
  for (; checked < count && nodes.length < enough; checked++) {
    const index = (from + checked) % count
    const position = named?.[index] ?? index
    const node = snapshot.nodes[position]
    if (node === undefined) continue
    if (isSlow || isLongStepDone()) yield
    if (hasPreparation) yield* prepareNode(node, filters)
    const rejected = check(node, position)
    if (rejected === undefined) {
      nodes.push(node)
      positions.push(position)
    } else {
      statuses.set(node.name, rejected.status)
      plugins.add(rejected.plugin)
    }
  }
  const infeasible = { nodeCount, preFilterReason: '', statuses, plugins }
  if (nodes.length > 0)
    return {
      feasible: { nodes, positions, results, reserves, next: (from + checked) % nodeCount, rejected: { infeasible, filters, postFilters } },
    }
  if (nodeNames) {
    const left = unresolvable(`node(s) didn't satisfy plugin(s) [${namers.join(' ')}]`)
    for (const { name } of snapshot.nodes) if (!nodeNames.has(name)) statuses.set(name, left)
    for (const name of namers) plugins.add(name)
  }
  return { infeasible, filters, postFilters }
}

const noneRejected = (nodeCount: number): Infeasible => ({ nodeCount, preFilterReason: '', statuses: new Map(), plugins: new Set() })

/** Filters of the plugins that take part in the cycle of a pod. */
interface Prepared {
  readonly filters: readonly ActiveFilter[]
  readonly reserves: readonly ActiveReserve[]
  readonly postFilters: readonly PostFilter[]
  /** Nodes that all plugins with names allow. Undefined if no plugin restricts them. */
  readonly nodeNames: ReadonlySet<string> | undefined
  /** Plugins that restrict the names of nodes. */
  readonly namers: readonly string[]
  /** Whether the filter of a node may take long. */
  readonly isSlow: boolean
}

/** A pod that a plugin rejects on all nodes before any is checked. */
interface Rejected {
  readonly status: Status
  readonly postFilters: readonly PostFilter[]
  /** Names of the plugins that have rejected it. */
  readonly plugins: ReadonlySet<string>
  /** Text for the pod's condition. */
  readonly reason: string
}

/**
 * Prepares the filters of all plugins, in order. The first rejection ends it. A step is one plugin: each goes through
 * the volumes of a pod, which may be many.
 */
function* prepareFilters(pod: PodInfo, snapshot: Snapshot, { plugins }: Profile): Steps<Prepared | Rejected> {
  const filters: ActiveFilter[] = []
  const reserves: ActiveReserve[] = []
  const postFilters: PostFilter[] = []
  const namers: string[] = []
  let nodeNames: ReadonlySet<string> | undefined
  let isSlow = false
  for (const { plugin } of plugins) {
    yield
    const prepared = plugin.preFilter?.(pod, snapshot)
    if (prepared?.postFilter) postFilters.push(prepared.postFilter)
    if (prepared?.status && prepared.status.code !== 'Skip')
      return { status: prepared.status, postFilters, plugins: new Set([plugin.name]), reason: prepared.status.reasons.join(', ') }
    if (prepared?.nodeNames) {
      const { nodeNames: names } = prepared
      namers.push(plugin.name)
      nodeNames = nodeNames ? new Set([...nodeNames].filter(name => names.has(name))) : names
      if (nodeNames.size === 0) {
        const reason =
          namers.length === 1
            ? `node(s) didn't satisfy plugin ${plugin.name}`
            : `node(s) didn't satisfy plugin(s) [${namers.join(' ')}] simultaneously`
        return { status: unresolvable(reason), postFilters, plugins: new Set(namers), reason }
      }
    }
    if (prepared === undefined || prepared.status) continue
    isSlow ||= prepared.isSlow ?? false
    if (prepared.filter)
      filters.push({
        plugin: plugin.name,
        filter: prepared.filter,
        isNodeLocal: (plugin.isNodeLocal ?? false) && prepared.isNodeLocal !== false,
      })
    if (prepared.reserve) reserves.push({ plugin: plugin.name, reserve: prepared.reserve })
  }
  return { filters, reserves, postFilters, nodeNames, namers, isSlow }
}

/**
 * Prepares the checks of a node in steps, except those that are not made because an earlier filter rejects the node.
 */
export function* prepareNode(node: NodeInfo, filters: readonly ActiveFilter[]): Steps<void> {
  for (const [i, active] of filters.entries()) {
    if (!active.filter.prepare) continue
    if (firstRejection(node, filters.slice(0, i))) return
    try {
      yield* active.filter.prepare(node)
    } catch (error) {
      throw filterError(active, error)
    }
  }
}

/**
 * Returns the first plugin that rejects the node, with its status. If pods of at least the same priority are nominated
 * to the node, it must be feasible both with and without them: they may never run there. Source:
 * RunFilterPluginsWithNominatedPods.
 */
export function checkNode(
  pod: PodInfo,
  node: NodeInfo,
  filters: readonly ActiveFilter[],
  nominated: readonly PodInfo[],
): Rejection | undefined {
  const before = nominated.filter(
    other => other.pod.metadata.uid !== pod.pod.metadata.uid && podPriority(other.pod) >= podPriority(pod.pod),
  )
  if (before.length > 0) {
    const rejected = firstRejection(...withPods(node, filters, before, 1))
    if (rejected !== undefined) return rejected
  }
  return firstRejection(node, filters)
}

/** Returns node and filters as they are with pods added to the node, or removed from it. */
export function withPods(
  node: NodeInfo,
  filters: readonly ActiveFilter[],
  pods: readonly PodInfo[],
  change: 1 | -1,
): [NodeInfo, readonly ActiveFilter[]] {
  const changedFilters = filters.map(one => {
    let { filter } = one
    if (filter.with) for (const pod of pods) filter = filter.with?.(pod, node, change) ?? filter
    return filter === one.filter ? one : { ...one, filter }
  })
  return [change === 1 ? node.withPods(...pods) : node.withoutPods(...pods), changedFilters]
}

/** @param from index of the first filter */
function firstRejection(node: NodeInfo, filters: readonly ActiveFilter[], from = 0): Rejection | undefined {
  for (let i = from; i < filters.length; i++) {
    const active = filters[i]
    const status = active && checked(active, node)
    if (active && status !== undefined) return { plugin: active.plugin, status }
  }
  return undefined
}

/** Runs a filter. An error names the plugin. */
function checked(active: ActiveFilter, node: NodeInfo): Status | undefined {
  try {
    return active.filter.check(node)
  } catch (error) {
    throw filterError(active, error)
  }
}

const filterError = ({ plugin }: ActiveFilter, error: unknown): Error =>
  new Error(`running "${plugin}" filter plugin: ${errorMessage(error)}`, { cause: error })
