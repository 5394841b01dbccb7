import type { Node } from '../../api/core/v1.types.ts'
import { isLongStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import { differingPods, type NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { NodeChange, Snapshot } from './snapshot.ts'

/** Number of tallies that are kept for each plugin. */
const MOST_TALLIES = 64

/** Functions of a tally: sums over the pods of all nodes. */
export interface TallyFunctions<T> {
  /** Returns a tally without pods. */
  empty(): T
  /**
   * Adds pods of a node to the tally (1), or takes them away (-1). Called with all pods of a node that is new or gone
   * for the tally.
   */
  count(tally: T, pods: readonly PodInfo[], node: NodeInfo, change: 1 | -1): void
  /** Optional. Returns the nodes that may have pods that count. If omitted, the pods of all nodes are looked at. */
  nodes?(snapshot: Snapshot): Steps<Iterable<NodeInfo>>
  /** Optional. Whether a node counts even without pods. If so, `count` is called with none of them for all nodes. */
  readonly countsNodes?: boolean
  /** Optional. Returns how many comparisons the count of a pod takes, to divide the work. Default: 1. */
  weigh?(pod: PodInfo): number
  /** Optional. How many comparisons a node takes besides its pods. Default: 0. */
  readonly nodeWeight?: number
}

const NO_PODS: readonly PodInfo[] = []
/** Comparisons of one step. */
const STEP = 2048
/** Number of changed nodes that are followed in little time. */
const FEW_CHANGES = 64

/**
 * Tallies over the pods of a snapshot, by a key that stands for everything besides the snapshot that a tally depends
 * on. A tally that was made for an earlier cycle is brought up to date by the nodes that changed since then.
 */
export class Tallies<T> {
  readonly #tallies = new Map<string, { readonly snapshot: Snapshot; version: number; readonly tally: T }>()
  readonly #isPerNode: boolean

  /**
   * @param isPerNode whether a change of a node's labels or taints requires a new tally. Otherwise its pods are taken
   * away and added again.
   */
  constructor(isPerNode = false) {
    this.#isPerNode = isPerNode
  }

  /** Returns the tally of a key for the present state of the snapshot. It changes in later cycles. */
  of(key: string, snapshot: Snapshot, functions: TallyFunctions<T>): T {
    return runAtOnce(this.prepare(key, snapshot, functions))
  }

  /** Whether `of` takes little time, because few nodes have changed since the tally was made. */
  isReady(key: string, snapshot: Snapshot): boolean {
    const changes = this.#changes(key, snapshot)
    return changes !== undefined && changes.length <= FEW_CHANGES
  }

  /** Returns the changes that a tally has not followed. Undefined if there is none that could follow them. */
  #changes(key: string, snapshot: Snapshot): readonly NodeChange[] | undefined {
    const known = this.#tallies.get(key)
    const changes = known?.snapshot === snapshot ? snapshot.changesSince(known.version) : undefined
    return this.#isPerNode && changes?.some(({ from, to }) => !isSameNode(from.node, to.node)) ? undefined : changes
  }

  /** Computes in steps what `of` returns. The snapshot must not change meanwhile. */
  *prepare(key: string, snapshot: Snapshot, functions: TallyFunctions<T>): Steps<T> {
    const known = this.#tallies.get(key)
    const changes = this.#changes(key, snapshot)
    if (known && changes) {
      if (changes.length === 0) return known.tally
      // A tally whose steps do not end is counted anew.
      this.#tallies.delete(key)
      for (const { from, to } of changes) yield* follow(known.tally, from, to, functions)
      known.version = snapshot.version
      this.#tallies.set(key, known)
      return known.tally
    }
    const tally = functions.empty()
    const nodes = functions.nodes ? yield* functions.nodes(snapshot) : snapshot.nodes
    if (functions.countsNodes) for (const node of snapshot.nodes) yield* countAll(tally, NO_PODS, node, 1, functions)
    for (const node of nodes) yield* countAll(tally, node.pods, node, 1, functions)
    this.#tallies.delete(key)
    this.#tallies.set(key, { snapshot, version: snapshot.version, tally })
    for (const oldest of this.#tallies.keys()) {
      if (this.#tallies.size <= MOST_TALLIES) break
      this.#tallies.delete(oldest)
    }
    return tally
  }
}

/** Counts the pods of a node in one step if they are light, as most are, and otherwise in several. */
function* countAll<T>(
  tally: T,
  pods: readonly PodInfo[],
  node: NodeInfo,
  change: 1 | -1,
  { count, weigh, nodeWeight = 0 }: TallyFunctions<T>,
): Steps<void> {
  let from = 0
  let weight = nodeWeight
  for (const [i, pod] of pods.entries()) {
    weight += weigh?.(pod) ?? 1
    if (weight < STEP) continue
    count(tally, pods.slice(from, i + 1), node, change)
    yield
    from = i + 1
    weight = nodeWeight
  }
  count(tally, from === 0 ? pods : pods.slice(from), node, change)
  if (isLongStepDone() || nodeWeight > STEP / 32) yield
}

function* follow<T>(tally: T, from: NodeInfo, to: NodeInfo, functions: TallyFunctions<T>): Steps<void> {
  const [gone, come] = isSameNode(from.node, to.node) ? differingPods(from.pods, to.pods) : [from.pods, to.pods]
  if (gone.length > 0) yield* countAll(tally, gone, from, -1, functions)
  if (come.length > 0) yield* countAll(tally, come, to, 1, functions)
}

/** Whether two states of a node are the same for tallies. The others differ with each report of its kubelet. */
const isSameNode = (a: Node, b: Node): boolean =>
  a === b || (deepEqual(a.metadata.labels, b.metadata.labels) && deepEqual(a.spec?.taints, b.spec?.taints))
