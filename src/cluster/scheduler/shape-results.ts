import type { NodeFilter, NodeScorer, Status } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { EnabledPlugin, Profile } from './profile.ts'
import type { Snapshot } from './snapshot.ts'

/** A plugin that rejects a node, and its status. */
export interface Rejection {
  readonly plugin: string
  readonly status: Status
}

/** Number of shapes with results, and of shapes that were seen once. */
const MOST_RESULTS = 64
const MOST_SEEN = 1024

/**
 * Returns everything that plugins which are node-local read of a pod, as text. Pods of equal text have equal results.
 */
export function shapeOf({ pod: { spec }, requests, assumedRequests, hostPorts }: PodInfo): string {
  const images = [
    spec.initContainers?.map(({ image }) => image),
    spec.containers?.map(({ image }) => image),
    spec.volumes?.map(({ image }) => image),
  ]
  const node = [spec.nodeName, spec.nodeSelector, spec.affinity?.nodeAffinity, spec.tolerations]
  return JSON.stringify([node, [...requests], [...assumedRequests], hostPorts, images])
}

/** A scorer that scales its scores over the feasible nodes, with its unscaled ones. */
interface ScaledScores {
  readonly scorer: NodeScorer
  readonly weight: number
  scores: Float64Array<ArrayBuffer>
}

/**
 * Results of the node-local plugins for all pods of one shape, by the position of a node in the snapshot. A result
 * holds as long as the same NodeInfo is at the position, so that it is computed again only for nodes that changed.
 */
export class ShapeResults {
  /** Version of the images of the snapshot that the scores are for. */
  readonly imagesVersion: object
  readonly #filters: readonly { readonly plugin: string; readonly filter: NodeFilter }[]
  readonly #checked: (NodeInfo | undefined)[] = []
  readonly #rejections: (Rejection | undefined)[] = []
  readonly #scorers: readonly { readonly scorer: NodeScorer; readonly weight: number }[]
  readonly #scored: (NodeInfo | undefined)[] = []
  /** Weighted sums of scores that are not scaled. */
  #sums = new Float64Array(0)
  readonly #scaled: readonly ScaledScores[]

  constructor(
    pod: PodInfo,
    snapshot: Snapshot,
    plugins: readonly EnabledPlugin[],
    filters: readonly { readonly plugin: string; readonly filter: NodeFilter }[],
  ) {
    this.imagesVersion = snapshot.imagesVersion
    this.#filters = filters
    const scorers = plugins.flatMap(({ plugin, weight }) => {
      const scorer = plugin.isNodeLocal && weight > 0 ? plugin.preScore?.(pod, snapshot, snapshot.nodes) : undefined
      return scorer && !('code' in scorer) ? [{ scorer, weight }] : []
    })
    this.#scorers = scorers.filter(({ scorer }) => scorer.normalize === undefined)
    this.#scaled = scorers.filter(({ scorer }) => scorer.normalize !== undefined).map(one => ({ ...one, scores: new Float64Array(0) }))
  }

  /** Returns the first node-local plugin that rejects a node. */
  check(node: NodeInfo, position: number): Rejection | undefined {
    if (this.#checked[position] === node) return this.#rejections[position]
    let rejection: Rejection | undefined
    for (const { plugin, filter } of this.#filters) {
      const status = filter.check(node)
      if (status === undefined) continue
      rejection = { plugin, status }
      break
    }
    this.#checked[position] = node
    this.#rejections[position] = rejection
    return rejection
  }

  /**
   * Adds the scores of node-local plugins to the totals of nodes. @param positions positions of the nodes in the
   * snapshot
   */
  addScores(totals: Float64Array, nodes: readonly NodeInfo[], positions: readonly number[], nodeCount: number): void {
    if (this.#sums.length < nodeCount) this.#grow(nodeCount)
    for (const [i, node] of nodes.entries()) {
      const position = positions[i] ?? 0
      if (this.#scored[position] !== node) this.#score(node, position)
      totals[i] = (totals[i] ?? 0) + (this.#sums[position] ?? 0)
    }
    const scores = new Float64Array(nodes.length)
    for (const { scorer, weight, scores: unscaled } of this.#scaled) {
      for (let i = 0; i < nodes.length; i++) scores[i] = unscaled[positions[i] ?? 0] ?? 0
      scorer.normalize?.(scores, nodes)
      for (let i = 0; i < nodes.length; i++) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0)
    }
  }

  #score(node: NodeInfo, position: number): void {
    let sum = 0
    for (const { scorer, weight } of this.#scorers) sum += weight * scorer.score(node)
    this.#sums[position] = sum
    for (const one of this.#scaled) one.scores[position] = one.scorer.score(node)
    this.#scored[position] = node
  }

  #grow(nodeCount: number): void {
    const grown = (old: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(nodeCount)
      larger.set(old)
      return larger
    }
    this.#sums = grown(this.#sums)
    for (const one of this.#scaled) one.scores = grown(one.scores)
  }
}

/**
 * Results of shapes. A shape gets results when it is seen a second time, so that pods of which each has its own shape
 * cost nothing more.
 */
export class ShapeCache {
  readonly #seen = new Set<string>()
  readonly #results = new Map<string, ShapeResults>()

  /**
   * Returns the results of the pod's shape, which `make` begins. Undefined if the shape is new, or the pod large.
   * @param filterCount number of node-local filters before any other one of the pod, which may differ within a shape
   */
  of(
    pod: PodInfo,
    { schedulerName }: Profile,
    snapshot: Snapshot,
    filterCount: number,
    make: () => ShapeResults,
  ): ShapeResults | undefined {
    if (pod.isLarge) return undefined
    const key = `${schedulerName} ${filterCount} ${shapeOf(pod)}`
    const known = this.#results.get(key)
    if (known && known.imagesVersion === snapshot.imagesVersion) return known
    if (known === undefined && !this.#seen.has(key)) {
      if (this.#seen.size >= MOST_SEEN) this.#seen.clear()
      this.#seen.add(key)
      return undefined
    }
    const results = make()
    this.#results.delete(key)
    this.#results.set(key, results)
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= MOST_RESULTS) break
      this.#results.delete(oldest)
    }
    return results
  }
}
