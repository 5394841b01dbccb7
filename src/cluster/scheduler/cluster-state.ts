import type { Node, Pod } from '../../api/core/v1.types.ts'
import { deepEqual } from '../../meta/equal.ts'
import { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { ClusterEvent } from './queue.ts'
import { type ClusterObjects, Snapshot } from './snapshot.ts'

/** A pod with the node that it runs on, or is assumed to. */
interface AssignedPod {
  readonly info: PodInfo
  readonly node: string
  /** Whether the binding has not been observed yet. */
  readonly isAssumed?: boolean
}

/** Nodes and assigned pods, from which each cycle takes a snapshot. A pod counts for its node from the moment it is assumed, before its binding is stored. */
export class ClusterState {
  readonly #objects: ClusterObjects
  readonly #nodes = new Map<string, NodeInfo>()
  /** Assigned pods by uid. */
  readonly #pods = new Map<string, AssignedPod>()
  /** Pods of nodes that are not known yet. */
  readonly #homeless = new Map<string, Set<PodInfo>>()
  #snapshot: Snapshot | undefined

  constructor(objects: ClusterObjects) {
    this.#objects = objects
  }

  /** Returns the present state. The same object is returned until a node or pod changes. */
  snapshot(): Snapshot {
    this.#snapshot ??= new Snapshot([...this.#nodes.values()], this.#objects)
    return this.#snapshot
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
    return events
  }

  /** Removes a node. Its pods are kept, as they may still be running. */
  deleteNode({ metadata: { name = '' } }: Pick<Node, 'metadata'>): void {
    const node = this.#nodes.get(name)
    if (node === undefined) return
    this.#nodes.delete(name)
    this.#snapshot = undefined
    if (node.pods.length > 0) this.#homeless.set(name, new Set(node.pods))
  }

  /** Stores a pod that is assigned to a node. Returns the changes that may make other pods schedulable. */
  setPod(info: PodInfo): ClusterEvent[] {
    const { metadata, spec } = info.pod
    const uid = metadata.uid ?? ''
    const old = this.#pods.get(uid)
    const node = spec.nodeName ?? ''
    if (old) this.#take(old)
    this.#pods.set(uid, { info, node })
    this.#give({ info, node })
    if (old === undefined || old.isAssumed || old.node !== node) return ['assigned pod added']
    const events: ClusterEvent[] = []
    if (!deepEqual(old.info.pod.metadata.labels ?? {}, metadata.labels ?? {})) events.push('assigned pod labels')
    if (!deepEqual([...old.info.requests], [...info.requests])) events.push('assigned pod resources')
    return events
  }

  /** Lets a pod count for a node while it is being bound. */
  assume(info: PodInfo, node: string): void {
    const assigned = { info, node, isAssumed: true }
    this.deletePod(info.pod)
    this.#pods.set(info.pod.metadata.uid ?? '', assigned)
    this.#give(assigned)
  }

  /** Reports whether a pod counts for a node. */
  isAssigned({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): boolean {
    return this.#pods.has(uid)
  }

  /** Takes back that a pod was assumed, as its binding failed. A pod whose binding was observed, perhaps by another client, goes on to count. */
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
    const known = this.#nodes.get(node)
    const pods = this.#homeless.get(node)
    if (known) this.#put(node, known.withPod(info))
    else if (pods) pods.add(info)
    else this.#homeless.set(node, new Set([info]))
  }

  #take({ info, node }: AssignedPod): void {
    const known = this.#nodes.get(node)
    const pods = this.#homeless.get(node)
    if (known) this.#put(node, known.withoutPod(info))
    else if (pods) {
      pods.delete(info)
      if (pods.size === 0) this.#homeless.delete(node)
    }
  }

  #put(name: string, node: NodeInfo): void {
    this.#nodes.set(name, node)
    this.#snapshot = undefined
  }
}
