import type { Pod, Service } from '../../api/core/v1.types.ts'
import type { KubeObject } from '../../api/meta/object.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { Labels } from '../../meta/label-matcher.ts'
import type { GroupTrees } from './groups/group-trees.ts'
import type { NodeInfo } from './node-info.ts'
import { NodesByPodLabel, type PodQuery } from './nodes-by-pod-label.ts'

/** Objects besides nodes and pods that plugins read. All functions return shared objects. */
export interface ClusterObjects {
  /**
   * Returns an object by its kind, its namespace (empty for kinds without) and its name. Undefined if it does not
   * exist.
   */
  get<T extends KubeObject>(kind: string, namespace: string, name: string): T | undefined
  /**
   * Returns all objects of a kind, in a namespace if one is given. A list of all is the same one until an object of the
   * kind changes.
   */
  list<T extends KubeObject>(kind: string, namespace?: string): readonly T[]
  /** Returns the services that select a pod. */
  servicesOf(pod: Pod): readonly Service[]
  /**
   * Returns the pods that have not ended of a group, or of all groups that an object describes.
   * @param key key of the group, or namespace and name of the object
   */
  podsOfGroup(key: string): readonly Pod[]
  /** Returns the number of the pods that `podsOfGroup` returns. Takes the same time for any number. */
  podCountOfGroup(key: string): number
  /** Groups that are objects of their own, and their hierarchy. */
  readonly trees: GroupTrees
  /** Returns the time of the API's clock, in milliseconds. */
  now(): number
}

/** A node that was replaced. */
export interface NodeChange {
  readonly from: NodeInfo
  readonly to: NodeInfo
}

/** Number of changes that are kept for `changesSince`. */
const MOST_CHANGES = 2048
/** Number of queries that are compared with the labels of pods. More return all nodes. */
const MOST_QUERIES = 16

/**
 * State of the cluster for one scheduling cycle. It does not change during a cycle. Before the next one, `replace`
 * updates the nodes that have changed.
 */
export class Snapshot {
  readonly objects: ClusterObjects
  readonly #nodes: NodeInfo[]
  readonly #byPodLabel: NodesByPodLabel
  readonly #positions = new Map<string, number>()
  readonly #withAffinity = new Map<string, NodeInfo>()
  readonly #withRequiredAntiAffinity = new Map<string, NodeInfo>()
  #imageNodes: Map<string, number> | undefined
  #imagesVersion: object = {}
  /** Latest changes. The last one has the number `version`. */
  #changes: NodeChange[] = []
  #version = 0

  /** @param earlier snapshot that this one replaces, which is not used any more */
  constructor(nodes: readonly NodeInfo[], objects: ClusterObjects, earlier?: Snapshot) {
    this.#nodes = [...nodes]
    this.#byPodLabel = earlier ? earlier.#labelsOf(nodes) : new NodesByPodLabel()
    this.objects = objects
    for (const [i, node] of nodes.entries()) {
      this.#positions.set(node.name, i)
      this.#list(node)
    }
  }

  /** Nodes in the order in which they are tried. A node keeps its position as long as the snapshot exists. */
  get nodes(): readonly NodeInfo[] {
    return this.#nodes
  }

  /** Number of replaced nodes so far. */
  get version(): number {
    return this.#version
  }

  /** Identity of the images of nodes and of their number: another object when they change, and for another snapshot. */
  get imagesVersion(): object {
    return this.#imagesVersion
  }

  node(name: string): NodeInfo | undefined {
    const position = this.#positions.get(name)
    return position === undefined ? undefined : this.#nodes[position]
  }

  /** Returns the position of a node in `nodes`. */
  position(name: string): number | undefined {
    return this.#positions.get(name)
  }

  /** Gives the next cycle a node in its present state, at the position of the earlier one. */
  replace(node: NodeInfo): void {
    const position = this.#positions.get(node.name)
    const from = position === undefined ? undefined : this.#nodes[position]
    if (position === undefined || from === undefined || from === node) return
    this.#nodes[position] = node
    this.#byPodLabel.replace(from, node)
    this.#version++
    this.#changes.push({ from, to: node })
    if (this.#changes.length > 2 * MOST_CHANGES) this.#changes = this.#changes.slice(-MOST_CHANGES)
    this.#list(node)
    if (from.node === node.node || deepEqual(from.node.status?.images ?? [], node.node.status?.images ?? [])) return
    this.#imageNodes = undefined
    this.#imagesVersion = {}
  }

  /** Returns the nodes that were replaced after a version, in order. Undefined if there are more than are kept. */
  changesSince(version: number): readonly NodeChange[] | undefined {
    const count = this.#version - version
    return count > this.#changes.length ? undefined : this.#changes.slice(this.#changes.length - count)
  }

  #list(node: NodeInfo): void {
    if (node.withAffinity.length > 0) this.#withAffinity.set(node.name, node)
    else this.#withAffinity.delete(node.name)
    if (node.withRequiredAntiAffinity.length > 0) this.#withRequiredAntiAffinity.set(node.name, node)
    else this.#withRequiredAntiAffinity.delete(node.name)
  }

  get hasAffinity(): boolean {
    return this.#withAffinity.size > 0
  }

  get hasRequiredAntiAffinity(): boolean {
    return this.#withRequiredAntiAffinity.size > 0
  }

  /** Nodes with pods that have affinity or anti-affinity to other pods. */
  get withAffinity(): Iterable<NodeInfo> {
    return this.#withAffinity.values()
  }

  /** Nodes with pods that have required anti-affinity. */
  get withRequiredAntiAffinity(): Iterable<NodeInfo> {
    return this.#withRequiredAntiAffinity.values()
  }

  /**
   * Returns the nodes that may have pods of one of the queries, and all that have some, in steps. The snapshot must not
   * change meanwhile.
   */
  *nodesWithPods(queries: readonly PodQuery[]): Steps<Iterable<NodeInfo>> {
    if (queries.length > MOST_QUERIES) return this.#nodes
    const found = new Set<NodeInfo>()
    for (const query of queries) {
      const names = yield* this.#byPodLabel.nodesWith(query, this.#nodes)
      if (names === undefined) return this.#nodes
      for (const name of names) {
        if (isStepDone()) yield
        const node = this.node(name)
        if (node) found.add(node)
      }
    }
    return found
  }

  /** Gives away the labels of pods, brought up to date for other nodes. */
  #labelsOf(nodes: readonly NodeInfo[]): NodesByPodLabel {
    const left = new Set(this.#nodes)
    for (const node of nodes) {
      const from = this.node(node.name)
      if (from) left.delete(from)
      if (from !== node) this.#byPodLabel.replace(from, node)
    }
    for (const node of left) this.#byPodLabel.replace(node, undefined)
    return this.#byPodLabel
  }

  /** Returns the number of nodes that have an image. */
  nodesWithImage(name: string): number {
    if (this.#imageNodes === undefined) {
      this.#imageNodes = new Map()
      for (const { node } of this.#nodes)
        for (const image of new Set(node.status?.images?.flatMap(({ names }) => names ?? [])))
          this.#imageNodes.set(image, (this.#imageNodes.get(image) ?? 0) + 1)
    }
    return this.#imageNodes.get(name) ?? 0
  }

  /** Returns the labels of a namespace. */
  namespaceLabels(name: string): Labels {
    return this.objects.get('Namespace', '', name)?.metadata.labels ?? {}
  }
}
