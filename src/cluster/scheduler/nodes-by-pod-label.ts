import { isStepDone, type Steps } from '../../lib/steps.ts'
import type { LabelRequirement } from '../../meta/label-requirement.ts'
import { requiredLabels } from '../shared/label-index.ts'
import { differingPods, type NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

/** Keys of labels that are indexed. The one that has not been asked for the longest is dropped first. */
const MOST_KEYS = 32
/** Labels of a selector of which the one is used that pods of the fewest nodes have. */
const MOST_COMPARED = 4

/** Pods in some namespaces that meet all requirements. */
export interface PodQuery {
  readonly namespaces: Iterable<string>
  readonly requirements: readonly LabelRequirement[]
}

/** Numbers of pods by name of their node, by namespace and value of a label. */
type NodesByValue = Map<string, Map<string, number>>

/** Nodes by the labels of their pods, for the keys that queries have needed. */
export class NodesByPodLabel {
  readonly #keys = new Map<string, NodesByValue>()

  /** Counts the pods of a node in its new state. */
  replace(from: NodeInfo | undefined, to: NodeInfo | undefined): void {
    const name = (to ?? from)?.name
    if (this.#keys.size === 0 || name === undefined) return
    const [gone, come] = differingPods(from?.pods ?? [], to?.pods ?? [])
    for (const [key, byValue] of this.#keys) {
      for (const info of gone) count(byValue, key, info, name, -1)
      for (const info of come) count(byValue, key, info, name, 1)
    }
  }

  /**
   * Returns the names of nodes that may have pods of a query, and of all that have some. Undefined if no label is
   * required. @param nodes all nodes, in their last states
   */
  *nodesWith({ namespaces, requirements }: PodQuery, nodes: readonly NodeInfo[]): Steps<readonly string[] | undefined> {
    let fewest: readonly ReadonlyMap<string, number>[] | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [key, value] of requiredLabels(requirements).slice(0, MOST_COMPARED)) {
      const byValue = yield* this.#index(key, nodes)
      const found: ReadonlyMap<string, number>[] = []
      let size = 0
      for (const namespace of namespaces) {
        if (isStepDone()) yield
        const names = byValue.get(inNamespace(namespace, value))
        if (names) found.push(names)
        size += names?.size ?? 0
      }
      if (size >= least) continue
      fewest = found
      least = size
    }
    return fewest?.flatMap(names => [...names.keys()])
  }

  *#index(key: string, nodes: readonly NodeInfo[]): Steps<NodesByValue> {
    const byValue: NodesByValue = this.#keys.get(key) ?? (yield* indexed(key, nodes))
    this.#keys.delete(key)
    this.#keys.set(key, byValue)
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= MOST_KEYS) break
      this.#keys.delete(oldest)
    }
    return byValue
  }
}

function* indexed(key: string, nodes: readonly NodeInfo[]): Steps<NodesByValue> {
  const byValue: NodesByValue = new Map()
  for (const { name, pods } of nodes)
    for (const info of pods) {
      if (isStepDone()) yield
      count(byValue, key, info, name, 1)
    }
  return byValue
}

/** Counts a pod that a node has got (1) or lost (-1). */
function count(byValue: NodesByValue, key: string, { pod }: PodInfo, node: string, change: 1 | -1): void {
  const { namespace = '', labels } = pod.metadata
  const value: unknown = labels?.[key]
  if (typeof value !== 'string') return
  const text = inNamespace(namespace, value)
  const nodes = byValue.get(text) ?? new Map<string, number>()
  const total = (nodes.get(node) ?? 0) + change
  if (total > 0) nodes.set(node, total)
  else nodes.delete(node)
  if (nodes.size > 0) byValue.set(text, nodes)
  else byValue.delete(text)
}

const inNamespace = (namespace: string, value: string): string => `${namespace}/${value}`
