import type { Node, Pod } from '../../api/core/v1.types.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { ClusterEvent } from './cluster-events.ts'
import { podOnNode } from './devices/device-demands.ts'
import { ScheduledGroups } from './groups/scheduled-groups.ts'
import { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import { type ClusterObjects, Snapshot } from './snapshot.ts'

/** A pod with the node that it runs on, or is assumed to. */
interface AssignedPod {
  readonly info: PodInfo
  readonly node: string
  /** Whether the binding has not been observed yet. */
  readonly isAssumed?: boolean
}

/**
 * Nodes and assigned pods, from which each cycle takes a snapshot. A pod counts for its node from the moment it is
 * assumed, before its binding is stored.
 */
export class ClusterState {
  readonly #objects: ClusterObjects
  readonly #groups: ScheduledGroups
  readonly #nodes = new Map<string, NodeInfo>()
  /** Assigned pods by uid. */
  readonly #pods = new Map<string, AssignedPod>()
  /** Pods of nodes that are not known yet. */
  readonly #homeless = new Map<string, Set<PodInfo>>()
  #snapshot: Snapshot | undefined
  /** Whether nodes were added or removed, or moved to another zone, since the snapshot was made. */
  #isOutdated = false
  /** Names of nodes that are not in the snapshot as they are. */
  readonly #changed = new Set<string>()

  /** @param groups counts the assigned pods of groups */
  constructor(objects: ClusterObjects, groups = new ScheduledGroups()) {
    this.#objects = objects
    this.#groups = groups
  }

  /**
   * Returns the present state. The snapshot does not change before the next call, which may return the same one in a
   * later state.
   */
  snapshot(): Snapshot {
    if (this.#snapshot === undefined || this.#isOutdated) {
      this.#snapshot = new Snapshot(inZoneOrder([...this.#nodes.values()]), this.#objects, this.#snapshot)
      this.#isOutdated = false
    } else
      for (const name of this.#changed) {
        const node = this.#nodes.get(name)
        if (node) this.#snapshot.replace(node)
      }
    this.#changed.clear()
    return this.#snapshot
  }

  /** Numbers of nodes, of pods, and of pods whose binding has not been observed. */
  get sizes(): { readonly nodes: number; readonly pods: number; readonly assumed_pods: number } {
    let assumed = 0
    for (const { isAssumed } of this.#pods.values()) if (isAssumed) assumed++
    return { nodes: this.#nodes.size, pods: this.#pods.size, assumed_pods: assumed }
  }

  /** Stores a node. Returns the changes that may make pods schedulable. */
  setNode(node: Node): ClusterEvent[] {
    const name = node.metadata.name ?? ''
    const old = this.#nodes.get(name)
    const pods = this.#homeless.get(name)
    this.#homeless.delete(name)
    this.#put(name, old ? old.withNode(node) : NodeInfo.of(node, [...(pods ?? [])]))
    if (old === undefined) return ['node added']
    const events: ClusterEvent[] = []
    if (!deepEqual(old.node.metadata.labels ?? {}, node.metadata.labels ?? {})) events.push('node labels')
    if (!deepEqual(old.node.spec?.taints ?? [], node.spec?.taints ?? []) || old.node.spec?.unschedulable !== node.spec?.unschedulable)
      events.push('node taints')
    if (!deepEqual(old.node.status?.allocatable ?? {}, node.status?.allocatable ?? {})) events.push('node allocatable')
    if (!deepEqual(old.node.status?.declaredFeatures ?? [], node.status?.declaredFeatures ?? [])) events.push('node features')
    return events
  }

  /**
   * Removes a node. Its pods are kept, as they may still be running. Returns the changes that may make pods schedulable.
   */
  deleteNode({ metadata: { name = '' } }: Pick<Node, 'metadata'>): ClusterEvent[] {
    const node = this.#nodes.get(name)
    if (node === undefined) return []
    this.#nodes.delete(name)
    this.#isOutdated = true
    if (node.pods.length > 0) this.#homeless.set(name, new Set(node.pods))
    return ['node deleted']
  }

  /** Stores a pod that is assigned to a node. Returns the changes that may make other pods schedulable. */
  setPod(info: PodInfo): ClusterEvent[] {
    const { metadata, spec } = info.pod
    const uid = metadata.uid ?? ''
    const old = this.#pods.get(uid)
    const node = spec.nodeName ?? ''
    this.#pods.set(uid, { info, node })
    const known = this.#nodes.get(node)
    if (old?.node === node && known && old.info.requests === info.requests) this.#put(node, known.withPodUpdated(old.info, info))
    else {
      if (old) this.#take(old)
      this.#give({ info, node })
    }
    if (old === undefined || old.isAssumed || old.node !== node) return ['assigned pod added']
    const events: ClusterEvent[] = []
    if (!deepEqual(old.info.pod.metadata.labels ?? {}, metadata.labels ?? {})) events.push('assigned pod labels')
    if (!deepEqual([...old.info.requests], [...info.requests])) events.push('assigned pod resources')
    return events
  }

  /** Lets a pod count for a node while it is being bound, with the resources that its devices take there. */
  assume(chosen: PodInfo, node: string): void {
    const info = podOnNode(chosen, node)
    const assigned = { info, node, isAssumed: true }
    this.deletePod(info.pod)
    this.#pods.set(info.pod.metadata.uid ?? '', assigned)
    this.#give(assigned)
  }

  /** Reports whether a pod counts for a node. */
  isAssigned({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): boolean {
    return this.#pods.has(uid)
  }

  /**
   * Takes back that a pod was assumed, as its binding failed. A pod whose binding was observed, perhaps by another
   * client, goes on to count.
   */
  forgetAssumed(pod: Pick<Pod, 'metadata'>): void {
    if (this.#pods.get(pod.metadata.uid ?? '')?.isAssumed) this.deletePod(pod)
  }

  /** Removes a pod that was deleted or has ended. Returns whether it was assigned. */
  deletePod({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): boolean {
    const assigned = this.#pods.get(uid)
    if (assigned === undefined) return false
    this.#pods.delete(uid)
    this.#take(assigned)
    return true
  }

  #give({ info, node }: AssignedPod): void {
    this.#groups.add(info.pod)
    const known = this.#nodes.get(node)
    const pods = this.#homeless.get(node)
    if (known) this.#put(node, known.withPods(info))
    else if (pods) pods.add(info)
    else this.#homeless.set(node, new Set([info]))
  }

  #take({ info, node }: AssignedPod): void {
    this.#groups.delete(info.pod)
    const known = this.#nodes.get(node)
    const pods = this.#homeless.get(node)
    if (known) this.#put(node, known.withoutPods(info))
    else if (pods) {
      pods.delete(info)
      if (pods.size === 0) this.#homeless.delete(node)
    }
  }

  #put(name: string, node: NodeInfo): void {
    const old = this.#nodes.get(name)
    this.#nodes.set(name, node)
    this.#changed.add(name)
    if (old === undefined || (old.node !== node.node && zoneOf(old) !== zoneOf(node))) this.#isOutdated = true
  }
}

/** Returns region and zone of a node. */
const zoneOf = ({ labels }: NodeInfo): string =>
  `${labels['topology.kubernetes.io/region'] ?? ''}\0${labels['topology.kubernetes.io/zone'] ?? ''}`

/**
 * Takes a node of each zone in turn, so that the first feasible nodes are of all zones. Source: nodeTree of
 * pkg/scheduler/backend/cache.
 */
function inZoneOrder(nodes: readonly NodeInfo[]): NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>()
  for (const node of nodes) {
    const zone = zones.get(zoneOf(node))
    if (zone) zone.push(node)
    else zones.set(zoneOf(node), [node])
  }
  if (zones.size <= 1) return [...nodes]
  const ordered: NodeInfo[] = []
  for (let i = 0; ordered.length < nodes.length; i++) for (const zone of zones.values()) ordered.push(...zone.slice(i, i + 1))
  return ordered
}
