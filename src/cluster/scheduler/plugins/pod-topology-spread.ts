import type { Pod, TopologySpreadConstraint } from '../../../api/core/v1.types.ts'
import { runAtOnce, type Steps } from '../../../lib/steps.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { matchesRequiredAffinity } from '../../shared/node-affinity.ts'
import { selectorOf } from '../../shared/selectors.ts'
import { isExclusive, untoleratedTaint } from '../../shared/tolerations.ts'
import { MAX_SCORE, type NodeFilter, type NodeScorer, type Plugin, SKIP, type Status, unresolvable, unschedulable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodQuery } from '../nodes-by-pod-label.ts'
import type { PodInfo } from '../pod-info.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Constraint, constraintsOf, isHeavy, keyOf, largeKeyOf, matchesAll, type Selectors } from '../spread-constraints.ts'
import { Tallies, type TallyFunctions } from '../tallies.ts'

/** Arguments of the plugin. Source: PodTopologySpreadArgs of kubescheduler.config.k8s.io/v1. */
export interface PodTopologySpreadArgs {
  /**
   * Constraints of pods without any, for `List`. They have no selector: the services and controllers of the pod decide.
   */
  readonly defaultConstraints?: readonly TopologySpreadConstraint[]
  readonly defaultingType?: 'System' | 'List'
}

const HOSTNAME = 'kubernetes.io/hostname'
const SYSTEM_DEFAULTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
]

/** Constraints above which a pod is filtered and scored in steps of few nodes. */
const MANY = 64

/** Spreads pods evenly over domains of the topology. */
export function podTopologySpread({ defaultConstraints = [], defaultingType = 'System' }: PodTopologySpreadArgs = {}): Plugin {
  const isSystem = defaultingType === 'System'
  const defaults = isSystem ? SYSTEM_DEFAULTS : defaultConstraints
  // A domain whose last node has gone must not count as one without pods.
  const filtered = new Tallies<DomainCounts>(true)
  const scored = new Tallies<DomainCounts>(true)
  const spreads = { DoNotSchedule: new WeakMap<PodInfo, Spread>(), ScheduleAnyway: new WeakMap<PodInfo, Spread>() }
  /** Constraints of the pod of the present cycle, which several steps of a cycle ask for. */
  const latest: { [action in keyof typeof spreads]?: Spread } = {}
  /** Scorers that were prepared in steps, by the feasible nodes. */
  const scorers = new WeakMap<readonly NodeInfo[], { readonly info: PodInfo; readonly scorer: NodeScorer | Status }>()

  function* spreadOf(info: PodInfo, action: keyof typeof spreads, snapshot: Snapshot): Steps<Spread> {
    const known = latest[action]?.info === info ? latest[action] : spreads[action].get(info)
    if (known?.snapshot === snapshot && known.version === snapshot.version) return known
    const constraints = yield* constraintsOf(info.pod, action, defaults, snapshot.objects)
    const isLarge = info.isLarge || !hasFewValues(constraints)
    const key = isLarge ? largeKeyOf(info.pod, action, constraints) : keyOf(info.pod, constraints)
    const spread = { info, constraints, key, snapshot, version: snapshot.version }
    latest[action] = spread
    if (isLarge) spreads[action].set(info, spread)
    return spread
  }
  function* prepareFilter(info: PodInfo, snapshot: Snapshot): Steps<void> {
    const { constraints, key } = yield* spreadOf(info, 'DoNotSchedule', snapshot)
    if (constraints.length > 0) yield* filtered.prepare(key, snapshot, filterCounts(info.pod, constraints))
  }
  const requiresAllKeys = ({ pod }: PodInfo): boolean => (pod.spec.topologySpreadConstraints?.length ?? 0) > 0 || !isSystem
  function* scorerOf(info: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): Steps<NodeScorer | Status> {
    const { constraints, key } = yield* spreadOf(info, 'ScheduleAnyway', snapshot)
    const requiresAll = requiresAllKeys(info)
    const functions = scoreCounts(info.pod, constraints, requiresAll)
    const scorer =
      constraints.length === 0
        ? SKIP
        : yield* spreadScorer(constraints, yield* scored.prepare(scoreKey(requiresAll, key), snapshot, functions), feasible, requiresAll)
    scorers.set(feasible, { info, scorer })
    return scorer
  }
  return {
    name: 'PodTopologySpread',
    isHelpedByPod({ pod }, _change, { pod: other }) {
      const own = pod.spec.topologySpreadConstraints ?? []
      if (own.length === 0) return true
      const isSelected = own.some(({ labelSelector }) => matchesLabels(selectorOf(labelSelector), other.metadata.labels))
      return pod.metadata.namespace === other.metadata.namespace && isSelected
    },
    prepareFilter(info, snapshot) {
      if (isHeavy(info, snapshot.objects)) return prepareFilter(info, snapshot)
      const { constraints, key } = runAtOnce(spreadOf(info, 'DoNotSchedule', snapshot))
      return constraints.length === 0 || filtered.isReady(key, snapshot) ? undefined : prepareFilter(info, snapshot)
    },
    preFilter(info, snapshot) {
      const { constraints, key } = runAtOnce(spreadOf(info, 'DoNotSchedule', snapshot))
      if (constraints.length === 0) return { status: SKIP }
      const counts = filtered.of(key, snapshot, filterCounts(info.pod, constraints))
      return { filter: new SpreadFilter(info.pod, constraints, counts), ...(constraints.length > MANY && { isSlow: true }) }
    },
    prepareScore(info, snapshot, feasible) {
      if (isHeavy(info, snapshot.objects)) return scorerOf(info, snapshot, feasible)
      const { constraints, key } = runAtOnce(spreadOf(info, 'ScheduleAnyway', snapshot))
      const isReady = constraints.length === 0 || scored.isReady(scoreKey(requiresAllKeys(info), key), snapshot)
      return isReady ? undefined : scorerOf(info, snapshot, feasible)
    },
    preScore(info, snapshot, feasible) {
      const known = scorers.get(feasible)
      return known?.info === info ? known.scorer : runAtOnce(scorerOf(info, snapshot, feasible))
    },
  }
}

/** Constraints of one kind for a pod, in a state of the cluster. */
interface Spread {
  readonly info: PodInfo
  readonly constraints: readonly Constraint[]
  /** Key of pods that share counts. */
  readonly key: string
  readonly snapshot: Snapshot
  readonly version: number
}

/** Number of pods by value of the topology key, for each constraint. A domain without pods counts 0. */
type DomainCounts = readonly Map<string, number>[]

function addToDomain(
  counts: Map<string, number>,
  domain: string,
  pods: readonly PodInfo[],
  { selectors }: Constraint,
  { pod, change }: CountedFor,
): void {
  let count = 0
  for (const { pod: other } of pods) if (isCounted(other, selectors, pod.metadata.namespace)) count++
  counts.set(domain, (counts.get(domain) ?? 0) + change * count)
}

/** The pod for which others are counted, and whether they are added (1) or taken away (-1). */
interface CountedFor {
  readonly pod: Pod
  readonly change: 1 | -1
}

/** How many comparisons pods and nodes take. */
const weightsOf = (constraints: readonly Constraint[]): Pick<TallyFunctions<DomainCounts>, 'weigh' | 'nodeWeight'> => {
  let weight = 0
  for (const { selectors } of constraints) weight += selectors.reduce((sum, { length }) => sum + length, 1)
  return { weigh: () => weight, nodeWeight: constraints.length }
}

/** Returns what pods that count for a constraint have in common. */
const countedPods = ({ metadata: { namespace = '' } }: Pod, constraints: readonly Constraint[]): readonly PodQuery[] =>
  constraints.map(({ selectors }) => ({ namespaces: [namespace], requirements: selectors.flat() }))

/** Key of a tally for scores. @param requiresAll whether nodes without a topology key count for no other one */
const scoreKey = (requiresAll: boolean, key: string): string => `${requiresAll} ${key}`

/** Counts pods on nodes that have all topology keys and that the constraint includes. */
const filterCounts = (pod: Pod, constraints: readonly Constraint[]): TallyFunctions<DomainCounts> => ({
  ...weightsOf(constraints),
  nodes: snapshot => snapshot.nodesWithPods(countedPods(pod, constraints)),
  countsNodes: true,
  empty: () => constraints.map(() => new Map()),
  count(tally, pods, node, change) {
    if (!hasAllKeys(node, constraints)) return
    const includes = inclusionOf(pod, node)
    for (const [i, one] of constraints.entries()) {
      const counts = tally[i]
      if (counts && includes(one)) addToDomain(counts, node.labels[one.topologyKey] ?? '', pods, one, { pod, change })
    }
  },
})

/** Counts pods as scores do: by node for host names, on nodes that the constraint includes for other keys. */
const scoreCounts = (pod: Pod, constraints: readonly Constraint[], requiresAll: boolean): TallyFunctions<DomainCounts> => ({
  ...weightsOf(constraints),
  nodes: snapshot => snapshot.nodesWithPods(countedPods(pod, constraints)),
  empty: () => constraints.map(() => new Map()),
  count(tally, pods, node, change) {
    // A domain without pods scores as one that is unknown.
    if (pods.length === 0) return
    const isCountedByDomain = !requiresAll || hasAllKeys(node, constraints)
    const includes = inclusionOf(pod, node)
    for (const [i, one] of constraints.entries()) {
      const counts = tally[i]
      if (counts === undefined) continue
      if (one.topologyKey === HOSTNAME) addToDomain(counts, node.name, pods, one, { pod, change })
      else if (isCountedByDomain && includes(one)) addToDomain(counts, node.labels[one.topologyKey] ?? '', pods, one, { pod, change })
    }
  },
})

/** A selector without requirements matches all pods, but counts none. Source: countPodsMatchSelector. */
const isCounted = (pod: Pod, selectors: Selectors, namespace: string | undefined): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  pod.metadata.namespace === namespace &&
  selectors.some(({ length }) => length > 0) &&
  matchesAll(selectors, pod)

/**
 * Returns a function that reports whether the pods of a node count for a constraint. The node's labels and taints are
 * compared once for all constraints.
 */
function inclusionOf(pod: Pod, { node }: NodeInfo): (constraint: Constraint) => boolean {
  let isSelected: boolean | undefined
  let isTolerated: boolean | undefined
  return ({ honorsAffinity, honorsTaints }) => {
    if (honorsAffinity) isSelected ??= matchesRequiredAffinity(pod, node)
    if (honorsTaints) isTolerated ??= untoleratedTaint(node.spec?.taints, pod.spec.tolerations, isExclusive) === undefined
    return (!honorsAffinity || isSelected === true) && (!honorsTaints || isTolerated === true)
  }
}

const hasAllKeys = ({ labels }: NodeInfo, constraints: readonly Constraint[]): boolean =>
  constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined)

/** Checks that a pod would not exceed the skew of any constraint. */
class SpreadFilter implements NodeFilter {
  readonly #pod: Pod
  readonly #constraints: readonly Constraint[]
  /** Number of pods by value of the topology key, for each constraint. */
  readonly #counts: readonly ReadonlyMap<string, number>[]
  readonly #lowest: readonly number[]

  constructor(pod: Pod, constraints: readonly Constraint[], counts: readonly ReadonlyMap<string, number>[]) {
    this.#pod = pod
    this.#constraints = constraints
    this.#counts = counts
    this.#lowest = counts.map((domains, i) => lowestCount(domains, constraints[i]?.minDomains ?? 1))
  }

  check({ labels }: NodeInfo) {
    for (const [i, { topologyKey, matchesSelf, maxSkew }] of this.#constraints.entries()) {
      const domain = labels[topologyKey]
      if (domain === undefined) return unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
      const skew = (this.#counts[i]?.get(domain) ?? 0) + (matchesSelf ? 1 : 0) - (this.#lowest[i] ?? 0)
      if (skew > maxSkew) return unschedulable("node(s) didn't match pod topology spread constraints")
    }
    return undefined
  }

  with({ pod }: PodInfo, node: NodeInfo, change: 1 | -1): NodeFilter {
    if (!hasAllKeys(node, this.#constraints)) return this
    const includes = inclusionOf(this.#pod, node)
    const counts = this.#constraints.map((one, i) => {
      const domains = this.#counts[i] ?? new Map<string, number>()
      if (!isCounted(pod, one.selectors, this.#pod.metadata.namespace) || !includes(one)) return domains
      const domain = node.labels[one.topologyKey] ?? ''
      return new Map(domains).set(domain, (domains.get(domain) ?? 0) + change)
    })
    return new SpreadFilter(this.#pod, this.#constraints, counts)
  }
}

/** Lowest count of a domain. Zero if there are fewer domains than required; no bound if there is none. */
function lowestCount(domains: ReadonlyMap<string, number>, minDomains: number): number {
  if (domains.size < minDomains) return 0
  let lowest = Number.MAX_SAFE_INTEGER
  for (const count of domains.values()) lowest = Math.min(lowest, count)
  return lowest
}

/** Creates the scorer in steps. */
function* spreadScorer(
  constraints: readonly Constraint[],
  counts: DomainCounts,
  feasible: readonly NodeInfo[],
  requiresAll: boolean,
): Steps<NodeScorer> {
  const ignored = new Set<string>()
  const domains = constraints.map(() => new Set<string>())
  for (const node of feasible) {
    if (constraints.length > MANY) yield
    if (requiresAll && !hasAllKeys(node, constraints)) ignored.add(node.name)
    else
      for (const [i, { topologyKey }] of constraints.entries())
        if (topologyKey !== HOSTNAME) domains[i]?.add(node.labels[topologyKey] ?? '')
  }
  const hosts = feasible.length - ignored.size
  const weights = constraints.map(({ topologyKey }, i) => Math.log((topologyKey === HOSTNAME ? hosts : (domains[i]?.size ?? 0)) + 2))
  return new SpreadScorer(constraints, counts, ignored, weights)
}

/** Prefers domains with few matching pods. */
class SpreadScorer implements NodeScorer {
  readonly #constraints: readonly Constraint[]
  readonly #counts: DomainCounts
  /** Feasible nodes without a required label, which score zero. */
  readonly #ignored: ReadonlySet<string>
  readonly #weights: readonly number[]

  constructor(constraints: readonly Constraint[], counts: DomainCounts, ignored: ReadonlySet<string>, weights: readonly number[]) {
    this.#constraints = constraints
    this.#counts = counts
    this.#ignored = ignored
    this.#weights = weights
  }

  score(node: NodeInfo): number {
    if (this.#ignored.has(node.name)) return 0
    let score = 0
    for (const [i, { topologyKey, maxSkew }] of this.#constraints.entries()) {
      const domain = node.labels[topologyKey]
      if (domain === undefined) continue
      const count = this.#counts[i]?.get(topologyKey === HOSTNAME ? node.name : domain) ?? 0
      score += count * (this.#weights[i] ?? 0) + (maxSkew - 1)
    }
    return Math.round(score)
  }

  normalize(scores: Float64Array, nodes: readonly NodeInfo[]): void {
    const isIgnored = nodes.map(({ name }) => this.#ignored.has(name))
    let highest = 0
    let lowest = Number.POSITIVE_INFINITY
    for (const [i, score] of scores.entries()) {
      if (isIgnored[i]) continue
      if (score > highest) highest = score
      if (score < lowest) lowest = score
    }
    for (const [i, score] of scores.entries())
      scores[i] = isIgnored[i] ? 0 : highest === 0 ? MAX_SCORE : Math.trunc((MAX_SCORE * (highest + lowest - score)) / highest)
  }
}
