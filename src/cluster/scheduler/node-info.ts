import type { ContainerPort, Node } from '../../api/core/v1.types.ts'
import { amountsOf, type ResourceAmounts } from '../shared/pod-requests.ts'
import type { PodInfo } from './pod-info.ts'

/** Sums and lists over the pods of a node. */
interface PodTotals {
  readonly pods: readonly PodInfo[]
  /** Pods with affinity or anti-affinity to others. */
  readonly withAffinity: readonly PodInfo[]
  readonly withRequiredAntiAffinity: readonly PodInfo[]
  /** Sum of the pods' requests. */
  readonly requested: ResourceAmounts
  /** Sum of the pods' requests as scores count them. */
  readonly assumed: ResourceAmounts
}

const NO_PODS: PodTotals = { pods: [], withAffinity: [], withRequiredAntiAffinity: [], requested: new Map(), assumed: new Map() }

/** A node with the pods that are assigned to it. It is not changed: `withPod` returns another. */
export class NodeInfo {
  readonly node: Node
  readonly allocatable: ResourceAmounts
  readonly #totals: PodTotals
  #ports: UsedPorts | undefined

  private constructor(node: Node, allocatable: ResourceAmounts, totals: PodTotals) {
    this.node = node
    this.allocatable = allocatable
    this.#totals = totals
  }

  static of(node: Node, pods: readonly PodInfo[] = []): NodeInfo {
    return new NodeInfo(node, allocatableOf(node), pods.reduce(added, NO_PODS))
  }

  get name(): string {
    return this.node.metadata.name ?? ''
  }

  get labels(): Readonly<Record<string, string>> {
    return this.node.metadata.labels ?? {}
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

  withPod(pod: PodInfo): NodeInfo {
    return new NodeInfo(this.node, this.allocatable, added(this.#totals, pod))
  }

  /** Returns the node without a pod, which is found by its identity. */
  withoutPod(pod: PodInfo): NodeInfo {
    return new NodeInfo(this.node, this.allocatable, removed(this.#totals, pod))
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

const allocatableOf = ({ status }: Node): ResourceAmounts => amountsOf(status?.allocatable ?? status?.capacity)

function added(totals: PodTotals, pod: PodInfo): PodTotals {
  return {
    pods: [...totals.pods, pod],
    withAffinity: hasAffinity(pod) ? [...totals.withAffinity, pod] : totals.withAffinity,
    withRequiredAntiAffinity: pod.requiredAntiAffinity.length > 0 ? [...totals.withRequiredAntiAffinity, pod] : totals.withRequiredAntiAffinity,
    requested: changed(totals.requested, pod.requests, 1),
    assumed: changed(totals.assumed, pod.assumedRequests, 1),
  }
}

function removed(totals: PodTotals, pod: PodInfo): PodTotals {
  const without = (pods: readonly PodInfo[]): readonly PodInfo[] => pods.filter(one => one !== pod)
  return {
    pods: without(totals.pods),
    withAffinity: without(totals.withAffinity),
    withRequiredAntiAffinity: without(totals.withRequiredAntiAffinity),
    requested: changed(totals.requested, pod.requests, -1),
    assumed: changed(totals.assumed, pod.assumedRequests, -1),
  }
}

const hasAffinity = (pod: PodInfo): boolean =>
  pod.requiredAffinity.length > 0 || pod.requiredAntiAffinity.length > 0 || pod.preferredAffinity.length > 0 || pod.preferredAntiAffinity.length > 0

function changed(amounts: ResourceAmounts, by: ResourceAmounts, sign: 1 | -1): ResourceAmounts {
  const sum = new Map(amounts)
  for (const [name, amount] of by) sum.set(name, (sum.get(name) ?? 0) + sign * amount)
  return sum
}

const ANY_ADDRESS = '0.0.0.0'
const protocolAndPort = ({ protocol, hostPort }: ContainerPort): string => `${protocol || 'TCP'}/${hostPort}`

/** Host ports in use. A port of all addresses conflicts with the same port of any address. */
export class UsedPorts {
  /** Addresses by protocol and port. */
  readonly #addresses = new Map<string, Set<string>>()

  add(port: ContainerPort): void {
    const key = protocolAndPort(port)
    let addresses = this.#addresses.get(key)
    if (addresses === undefined) {
      addresses = new Set()
      this.#addresses.set(key, addresses)
    }
    addresses.add(port.hostIP || ANY_ADDRESS)
  }

  conflictsWith(port: ContainerPort): boolean {
    const addresses = this.#addresses.get(protocolAndPort(port))
    if (addresses === undefined) return false
    const address = port.hostIP || ANY_ADDRESS
    return address === ANY_ADDRESS || addresses.has(ANY_ADDRESS) || addresses.has(address)
  }
}
