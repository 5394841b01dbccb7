import type { Node } from '../../api/core/v1.types.ts'
import { UsedPorts } from '../shared/host-ports.ts'
import { allocatableOf } from '../shared/node-amounts.ts'
import type { ResourceAmounts } from '../shared/pod-requests.ts'
import type { PodInfo } from './pod-info.ts'

/** Sums and lists over the pods of a node. */
interface PodTotals {
  readonly pods: readonly PodInfo[]
  /** Pods with affinity or anti-affinity to others. */
  readonly withAffinity: readonly PodInfo[]
  /** Pods with required anti-affinity, which may exclude the pod to be scheduled. */
  readonly withRequiredAntiAffinity: readonly PodInfo[]
  /** Sum of the pods' requests. */
  readonly requested: ResourceAmounts
  /** Sum of the pods' requests as scores count them. */
  readonly assumed: ResourceAmounts
}

const NO_LABELS: Readonly<Record<string, string>> = {}
/** Totals of a node without pods. */
const NO_PODS: PodTotals = { pods: [], withAffinity: [], withRequiredAntiAffinity: [], requested: new Map(), assumed: new Map() }

/** A node with the pods that are assigned to it. It is not changed: `withPods` returns another. */
export class NodeInfo {
  /** Shared with the informer, must not be changed. */
  readonly node: Node
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Amounts that pods can request. Those of the capacity if the node does not report them. */
  readonly allocatable: ResourceAmounts
  readonly #totals: PodTotals
  #ports: UsedPorts | undefined

  private constructor(node: Node, allocatable: ResourceAmounts, totals: PodTotals) {
    this.node = node
    this.name = node.metadata.name ?? ''
    this.labels = node.metadata.labels ?? NO_LABELS
    this.allocatable = allocatable
    this.#totals = totals
  }

  /** Returns a node with pods. Takes time in proportion to the pods. */
  static of(node: Node, pods: readonly PodInfo[] = []): NodeInfo {
    return new NodeInfo(node, allocatableOf(node), added(NO_PODS, pods))
  }

  get pods(): readonly PodInfo[] {
    return this.#totals.pods
  }

  get withAffinity(): readonly PodInfo[] {
    return this.#totals.withAffinity
  }

  get withRequiredAntiAffinity(): readonly PodInfo[] {
    return this.#totals.withRequiredAntiAffinity
  }

  get requested(): ResourceAmounts {
    return this.#totals.requested
  }

  get assumed(): ResourceAmounts {
    return this.#totals.assumed
  }

  /** Returns the node with new properties and the same pods. */
  withNode(node: Node): NodeInfo {
    return new NodeInfo(node, allocatableOf(node), this.#totals)
  }

  /** Returns the node with further pods. Its lists are copied. */
  withPods(...pods: readonly PodInfo[]): NodeInfo {
    return new NodeInfo(this.node, this.allocatable, added(this.#totals, pods))
  }

  /** Returns the node without pods, which are found by their identity. */
  withoutPods(...pods: readonly PodInfo[]): NodeInfo {
    return new NodeInfo(this.node, this.allocatable, removed(this.#totals, pods))
  }

  /** Returns the node with a pod in its present state. Both states request the same. */
  withPodUpdated(from: PodInfo, to: PodInfo): NodeInfo {
    const updated = (pods: readonly PodInfo[]): readonly PodInfo[] =>
      pods.includes(from) ? pods.map(pod => (pod === from ? to : pod)) : pods
    const { pods, withAffinity, withRequiredAntiAffinity, ...sums } = this.#totals
    const lists = { pods: updated(pods), withAffinity: updated(withAffinity), withRequiredAntiAffinity: updated(withRequiredAntiAffinity) }
    return new NodeInfo(this.node, this.allocatable, { ...lists, ...sums })
  }

  /** Ports of the node that its pods use. */
  get ports(): UsedPorts {
    if (this.#ports === undefined) {
      this.#ports = new UsedPorts()
      for (const { hostPorts } of this.pods) for (const port of hostPorts) this.#ports.add(port)
    }
    return this.#ports
  }
}

/** Returns the totals with further pods. */
function added(totals: PodTotals, pods: readonly PodInfo[]): PodTotals {
  return {
    pods: [...totals.pods, ...pods],
    withAffinity: appended(totals.withAffinity, pods.filter(hasAffinity)),
    withRequiredAntiAffinity: appended(totals.withRequiredAntiAffinity, pods.filter(hasRequiredAntiAffinity)),
    requested: changed(totals.requested, pods, ({ requests }) => requests, 1),
    assumed: changed(totals.assumed, pods, ({ assumedRequests }) => assumedRequests, 1),
  }
}

const appended = (to: readonly PodInfo[], pods: readonly PodInfo[]): readonly PodInfo[] => (pods.length === 0 ? to : [...to, ...pods])

/** Returns the totals without some pods. */
function removed(totals: PodTotals, pods: readonly PodInfo[]): PodTotals {
  const gone = new Set(pods)
  const without = (from: readonly PodInfo[]): readonly PodInfo[] => (from.length === 0 ? from : from.filter(one => !gone.has(one)))
  return {
    pods: without(totals.pods),
    withAffinity: without(totals.withAffinity),
    withRequiredAntiAffinity: without(totals.withRequiredAntiAffinity),
    requested: changed(totals.requested, pods, ({ requests }) => requests, -1),
    assumed: changed(totals.assumed, pods, ({ assumedRequests }) => assumedRequests, -1),
  }
}

const hasRequiredAntiAffinity = (pod: PodInfo): boolean => pod.requiredAntiAffinity.length > 0

const hasAffinity = (pod: PodInfo): boolean =>
  pod.requiredAffinity.length > 0 ||
  pod.requiredAntiAffinity.length > 0 ||
  pod.preferredAffinity.length > 0 ||
  pod.preferredAntiAffinity.length > 0

/** Adds amounts of pods to a sum, or subtracts them. */
function changed(amounts: ResourceAmounts, pods: readonly PodInfo[], of: (pod: PodInfo) => ResourceAmounts, sign: 1 | -1): ResourceAmounts {
  const sum = new Map(amounts)
  for (const pod of pods) for (const [name, amount] of of(pod)) sum.set(name, (sum.get(name) ?? 0) + sign * amount)
  return sum
}

/** Returns the pods that have gone and those that have come: two lists without their common beginning and end. */
export function differingPods(from: readonly PodInfo[], to: readonly PodInfo[]): [readonly PodInfo[], readonly PodInfo[]] {
  const most = Math.min(from.length, to.length)
  let start = 0
  while (start < most && from[start] === to[start]) start++
  let end = 0
  while (end < most - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++
  return [from.slice(start, from.length - end), to.slice(start, to.length - end)]
}
