import type { ReplicaSet, StatefulSet } from '../../../api/apps/v1.types.ts'
import type { Pod, ReplicationController, Service, TopologySpreadConstraint } from '../../../api/core/v1.types.ts'
import { type LabelRequirement, matchesLabels, NOTHING } from '../../../meta/label-selector.ts'
import { matchesRequiredAffinity } from '../../shared/node-affinity.ts'
import { controllerOf } from '../../shared/owner.ts'
import { isEmptyMap, selectorOf, selectorOfMap } from '../../shared/selectors.ts'
import { isExclusive, untoleratedTaint } from '../../shared/tolerations.ts'
import { MAX_SCORE, type NodeFilter, type NodeScorer, type Plugin, SKIP, unresolvable, unschedulable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import type { ClusterObjects } from '../snapshot.ts'
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

/** Spreads pods evenly over domains of the topology. */
export function podTopologySpread({ defaultConstraints = [], defaultingType = 'System' }: PodTopologySpreadArgs = {}): Plugin {
  const isSystem = defaultingType === 'System'
  const defaults = isSystem ? SYSTEM_DEFAULTS : defaultConstraints
  const filtered = new Tallies<DomainCounts>()
  const scored = new Tallies<DomainCounts>()
  return {
    name: 'PodTopologySpread',
    isHelpedByPod({ pod }, _change, { pod: other }) {
      const own = pod.spec.topologySpreadConstraints ?? []
      if (own.length === 0) return true
      const isSelected = own.some(({ labelSelector }) => matchesLabels(selectorOf(labelSelector), other.metadata.labels))
      return pod.metadata.namespace === other.metadata.namespace && isSelected
    },
    preFilter({ pod }, snapshot) {
      const constraints = constraintsOf(pod, 'DoNotSchedule', defaults, snapshot.objects)
      if (constraints.length === 0) return { status: SKIP }
      const counts = filtered.of(keyOf(pod, constraints), snapshot, filterCounts(pod, constraints))
      return { filter: new SpreadFilter(pod, constraints, counts) }
    },
    preScore({ pod }, snapshot, feasible) {
      const constraints = constraintsOf(pod, 'ScheduleAnyway', defaults, snapshot.objects)
      if (constraints.length === 0) return SKIP
      const requiresAll = (pod.spec.topologySpreadConstraints?.length ?? 0) > 0 || !isSystem
      const counts = scored.of(`${requiresAll} ${keyOf(pod, constraints)}`, snapshot, scoreCounts(pod, constraints, requiresAll))
      return new SpreadScorer(constraints, counts, feasible, requiresAll)
    },
  }
}

/** A constraint with its defaults and its selector. */
interface Constraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly selector: readonly LabelRequirement[]
  readonly minDomains: number
  readonly honorsAffinity: boolean
  readonly honorsTaints: boolean
}

/** Returns the pod's constraints of one kind, or the default ones if it has none at all. */
function constraintsOf(pod: Pod, action: string, defaults: readonly TopologySpreadConstraint[], objects: ClusterObjects): Constraint[] {
  const own = pod.spec.topologySpreadConstraints ?? []
  if (own.length > 0)
    return own.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action).map(one => constraint(one, constraintSelector(one, pod)))
  const chosen = defaults.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
  const selector = chosen.length === 0 ? [] : defaultSelector(pod, objects)
  return selector.length === 0 ? [] : chosen.map(one => constraint(one, selector))
}

const constraint = (given: TopologySpreadConstraint, selector: readonly LabelRequirement[]): Constraint => ({
  maxSkew: given.maxSkew,
  topologyKey: given.topologyKey,
  selector,
  minDomains: given.minDomains ?? 1,
  honorsAffinity: (given.nodeAffinityPolicy ?? 'Honor') === 'Honor',
  honorsTaints: given.nodeTaintsPolicy === 'Honor',
})

/** Selector of a constraint, with the pod's values of its `matchLabelKeys`. */
function constraintSelector(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  { metadata }: Pod,
): readonly LabelRequirement[] {
  const selector = selectorOf(labelSelector)
  if (selector === NOTHING) return selector
  const values = Object.fromEntries(
    matchLabelKeys.flatMap(key => (metadata.labels?.[key] === undefined ? [] : [[key, metadata.labels[key]]])),
  )
  return [...selectorOfMap(values), ...selector]
}

/**
 * Selects the pods of the same services and controller. Empty if there are none. Source: DefaultSelector of
 * pkg/scheduler/framework/plugins/helper.
 */
function defaultSelector(pod: Pod, objects: ClusterObjects): readonly LabelRequirement[] {
  const { namespace = '', labels } = pod.metadata
  const merged: Record<string, string> = {}
  for (const { spec } of objects.list<Service>('Service', namespace)) {
    const selector = spec?.selector
    if (!isEmptyMap(selector) && matchesLabels(selectorOfMap(selector), labels)) Object.assign(merged, selector)
  }
  const owner = controllerOf(pod)
  if (owner?.apiVersion === 'v1' && owner.kind === 'ReplicationController')
    Object.assign(merged, objects.get<ReplicationController>(owner.kind, namespace, owner.name)?.spec?.selector)
  const selector = selectorOfMap(merged)
  if (owner?.apiVersion !== 'apps/v1' || (owner.kind !== 'ReplicaSet' && owner.kind !== 'StatefulSet')) return selector
  const set = objects.get<ReplicaSet | StatefulSet>(owner.kind, namespace, owner.name)
  return set ? [...selector, ...selectorOf(set.spec?.selector)] : selector
}

/** Number of pods by value of the topology key, for each constraint. A domain without pods counts 0. */
type DomainCounts = readonly Map<string, number>[]

/** Returns what pods must have in common to share counts. */
const keyOf = ({ metadata, spec }: Pod, constraints: readonly Constraint[]): string =>
  JSON.stringify([metadata.namespace, constraints, spec.nodeSelector, spec.affinity?.nodeAffinity, spec.tolerations])

function addToDomain(
  counts: Map<string, number>,
  domain: string,
  pods: readonly PodInfo[],
  { selector }: Constraint,
  { pod, change }: CountedFor,
): void {
  let count = 0
  for (const { pod: other } of pods) if (isCounted(other, selector, pod.metadata.namespace)) count++
  counts.set(domain, (counts.get(domain) ?? 0) + change * count)
}

/** The pod for which others are counted, and whether they are added (1) or taken away (-1). */
interface CountedFor {
  readonly pod: Pod
  readonly change: 1 | -1
}

/** Counts pods on nodes that have all topology keys and that the constraint includes. */
const filterCounts = (pod: Pod, constraints: readonly Constraint[]): TallyFunctions<DomainCounts> => ({
  isPerNode: true,
  empty: () => constraints.map(() => new Map()),
  count(tally, pods, node, change) {
    if (!hasAllKeys(node, constraints)) return
    for (const [i, one] of constraints.entries()) {
      const counts = tally[i]
      if (counts && includesNode(one, pod, node)) addToDomain(counts, node.labels[one.topologyKey] ?? '', pods, one, { pod, change })
    }
  },
})

/** Counts pods as scores do: by node for host names, on nodes that the constraint includes for other keys. */
const scoreCounts = (pod: Pod, constraints: readonly Constraint[], requiresAll: boolean): TallyFunctions<DomainCounts> => ({
  isPerNode: true,
  empty: () => constraints.map(() => new Map()),
  count(tally, pods, node, change) {
    const isCountedByDomain = !requiresAll || hasAllKeys(node, constraints)
    for (const [i, one] of constraints.entries()) {
      const counts = tally[i]
      if (counts === undefined) continue
      if (one.topologyKey === HOSTNAME) addToDomain(counts, node.name, pods, one, { pod, change })
      else if (isCountedByDomain && includesNode(one, pod, node))
        addToDomain(counts, node.labels[one.topologyKey] ?? '', pods, one, { pod, change })
    }
  },
})

const isCounted = ({ metadata }: Pod, selector: readonly LabelRequirement[], namespace: string | undefined): boolean =>
  metadata.deletionTimestamp === undefined && metadata.namespace === namespace && matchesLabels(selector, metadata.labels)

/** Reports whether the pods of a node count for a constraint. */
const includesNode = ({ honorsAffinity, honorsTaints }: Constraint, pod: Pod, { node }: NodeInfo): boolean =>
  (!honorsAffinity || matchesRequiredAffinity(pod, node)) &&
  !(honorsTaints && untoleratedTaint(node.spec?.taints, pod.spec.tolerations, isExclusive))

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
    for (const [i, { topologyKey, selector, maxSkew }] of this.#constraints.entries()) {
      const domain = labels[topologyKey]
      if (domain === undefined) return unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
      const self = matchesLabels(selector, this.#pod.metadata.labels) ? 1 : 0
      const skew = (this.#counts[i]?.get(domain) ?? 0) + self - (this.#lowest[i] ?? 0)
      if (skew > maxSkew) return unschedulable("node(s) didn't match pod topology spread constraints")
    }
    return undefined
  }

  with({ pod }: PodInfo, node: NodeInfo, change: 1 | -1): NodeFilter {
    if (!hasAllKeys(node, this.#constraints)) return this
    const counts = this.#constraints.map((one, i) => {
      const domains = this.#counts[i] ?? new Map<string, number>()
      if (!isCounted(pod, one.selector, this.#pod.metadata.namespace) || !includesNode(one, this.#pod, node)) return domains
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

/** Prefers domains with few matching pods. */
class SpreadScorer implements NodeScorer {
  readonly #constraints: readonly Constraint[]
  /** Feasible nodes without a required label, which score zero. */
  readonly #ignored = new Set<string>()
  readonly #counts: DomainCounts
  readonly #weights: readonly number[]

  constructor(constraints: readonly Constraint[], counts: DomainCounts, feasible: readonly NodeInfo[], requiresAll: boolean) {
    this.#constraints = constraints
    this.#counts = counts
    const domains = constraints.map(() => new Set<string>())
    for (const node of feasible) {
      if (requiresAll && !hasAllKeys(node, constraints)) this.#ignored.add(node.name)
      else
        for (const [i, { topologyKey }] of constraints.entries())
          if (topologyKey !== HOSTNAME) domains[i]?.add(node.labels[topologyKey] ?? '')
    }
    const hosts = feasible.length - this.#ignored.size
    this.#weights = constraints.map(({ topologyKey }, i) => Math.log((topologyKey === HOSTNAME ? hosts : (domains[i]?.size ?? 0)) + 2))
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
