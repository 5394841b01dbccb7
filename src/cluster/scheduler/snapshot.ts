import type { KubeObject } from '../../api/meta/object.ts'
import type { Labels } from '../../meta/label-matcher.ts'
import type { NodeInfo } from './node-info.ts'

/** Objects besides nodes and pods that plugins read. All functions return shared objects. */
export interface ClusterObjects {
  /** Returns an object by its kind, its namespace (empty for kinds without) and its name. Undefined if it does not exist. */
  get<T extends KubeObject>(kind: string, namespace: string, name: string): T | undefined
  /** Returns all objects of a kind, in a namespace if one is given. */
  list<T extends KubeObject>(kind: string, namespace?: string): readonly T[]
}

/** The cluster as one scheduling cycle sees it. It does not change. */
export class Snapshot {
  readonly nodes: readonly NodeInfo[]
  readonly objects: ClusterObjects
  #byName: Map<string, NodeInfo> | undefined
  #withAffinity: readonly NodeInfo[] | undefined
  #withRequiredAntiAffinity: readonly NodeInfo[] | undefined
  #imageNodes: Map<string, number> | undefined

  constructor(nodes: readonly NodeInfo[], objects: ClusterObjects) {
    this.nodes = nodes
    this.objects = objects
  }

  node(name: string): NodeInfo | undefined {
    this.#byName ??= new Map(this.nodes.map(node => [node.name, node]))
    return this.#byName.get(name)
  }

  /** Nodes with pods that have affinity or anti-affinity to other pods. */
  get withAffinity(): readonly NodeInfo[] {
    this.#withAffinity ??= this.nodes.filter(({ withAffinity }) => withAffinity.length > 0)
    return this.#withAffinity
  }

  /** Nodes with pods that have required anti-affinity. */
  get withRequiredAntiAffinity(): readonly NodeInfo[] {
    this.#withRequiredAntiAffinity ??= this.nodes.filter(({ withRequiredAntiAffinity }) => withRequiredAntiAffinity.length > 0)
    return this.#withRequiredAntiAffinity
  }

  /** Returns the number of nodes that have an image. */
  nodesWithImage(name: string): number {
    if (this.#imageNodes === undefined) {
      this.#imageNodes = new Map()
      for (const { node } of this.nodes)
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
