import { isPending } from '../../lib/awaitable.ts'
import type { Logger } from '../../lib/log.ts'
import { startInTurns } from '../../lib/steps.ts'
import { chooseNode } from './choose-node.ts'
import { type Extender, findByExtenders, scoreByExtenders } from './extenders/extender.ts'
import { type Feasible, filterNodes, NONE_NOMINATED, type NominatedPods, type Unfeasible } from './find-node.ts'
import type { NodeInfo } from './node-info.ts'
import type { NominatedPodsByNode } from './nominated-pods.ts'
import type { PodInfo } from './pod-info.ts'
import type { Profile } from './profile.ts'
import type { SchedulerMetrics } from './scheduler-metrics.ts'
import { ShapeCache } from './shape-results.ts'
import type { Snapshot } from './snapshot.ts'

/** Parts of the scheduler that the choice of a node uses. */
export interface NodeFinderParts {
  readonly extenders: readonly Extender[]
  readonly nominated: NominatedPodsByNode
  readonly metrics: SchedulerMetrics
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** The node that was chosen for a pod, among feasible ones. */
export interface ChosenNode {
  readonly node: NodeInfo
  readonly feasible: Feasible
}

/** A snapshot that is not the cluster as it is. */
export interface Hypothesis {
  /** Pods that are nominated to a node. */
  readonly nominated: NominatedPods
  /** Whether the nodes are others than those of the cluster. */
  readonly hasOwnNodes: boolean
}

/** Filters and scores nodes, together with extenders. Each search begins where the last one ended. */
export class NodeFinder {
  readonly #parts: NodeFinderParts
  readonly #shapes = new ShapeCache()
  /** Index of the node that the next search checks first. */
  #next = 0

  constructor(parts: NodeFinderParts) {
    this.#parts = parts
  }

  /** Looks for the best node for a pod. Rejects if a plugin or an extender fails. */
  async find(info: PodInfo, snapshot: Snapshot, profile: Profile, hypothesis?: Hypothesis): Promise<ChosenNode | Unfeasible> {
    const { extenders, nominated: pods, metrics, random, signal, logger } = this.#parts
    const nominated = hypothesis?.nominated ?? (pods.size > 0 ? (name: string) => pods.on(name) : NONE_NOMINATED)
    const shapes = hypothesis?.hasOwnNodes ? {} : { shapes: this.#shapes }
    const begun = performance.now()
    const calls = { signal, logger }
    const observe = metrics.observerOf(profile.schedulerName)
    const filtered = await findByExtenders(info.pod, extenders, calls, preferred =>
      startInTurns(filterNodes(info, snapshot, profile, { from: this.#next, nominated, preferred, observe, ...shapes })),
    )
    if (!('feasible' in filtered)) return filtered
    const { feasible } = filtered
    const extra = extenders.length > 0 ? await scoreByExtenders(info.pod, feasible.nodes, extenders, calls) : undefined
    this.#next = feasible.next
    for (const { plugin, weight } of feasible.nodes.length > 1 ? profile.plugins : []) {
      const steps = weight === 0 ? undefined : plugin.prepareScore?.(info, snapshot, feasible.nodes)
      if (steps) await startInTurns(steps, signal)
    }
    const choice = startInTurns(chooseNode(info, snapshot, profile, feasible, { random, extra, observe }), signal)
    const node = isPending(choice) ? await choice : choice
    metrics.algorithmSeconds.child().observe((performance.now() - begun) / 1000)
    return node ? { node, feasible } : feasible.rejected
  }
}
