import type { ReplicaSet, StatefulSet } from '../../../api/apps/v1.types.ts'
import type { Pod, ReplicationController, Service, TopologySpreadConstraint } from '../../../api/core/v1.types.ts'
import { type LabelRequirement, labelSelectorOf, labelSelectorOfMap, matchesLabels, NOTHING } from '../../../meta/label-selector.ts'
import { matchesRequiredAffinity } from '../../shared/node-affinity.ts'
import { controllerOf } from '../../shared/owner.ts'
import { isExclusive, untoleratedTaint } from '../../shared/tolerations.ts'
import { MAX_SCORE, type NodeFilter, type NodeScorer, type Plugin, SKIP, unresolvable, unschedulable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import type { ClusterObjects, Snapshot } from '../snapshot.ts'

/** Arguments of the plugin. Source: PodTopologySpreadArgs of kubescheduler.config.k8s.io/v1. */
export interface PodTopologySpreadArgs {
  /** Constraints of pods without any, for `List`. They have no selector: the services and controllers of the pod decide. */
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
  return {
    name: 'PodTopologySpread',
    preFilter({ pod }, snapshot) {
      const constraints = constraintsOf(pod, 'DoNotSchedule', defaults, snapshot.objects)
      return constraints.length === 0 ? { status: SKIP } : { filter: SpreadFilter.of(pod, constraints, snapshot) }
    },
    preScore({ pod }, snapshot, feasible) {
      const constraints = constraintsOf(pod, 'ScheduleAnyway', defaults, snapshot.objects)
      if (constraints.length === 0) return SKIP
      const requiresAll = (pod.spec.topologySpreadConstraints?.length ?? 0) > 0 || !isSystem
      return new SpreadScorer(pod, constraints, snapshot, feasible, requiresAll)
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
  if (own.length > 0) return own.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action).map(one => constraint(one, selectorOf(one, pod)))
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
function selectorOf({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, { metadata }: Pod): readonly LabelRequirement[] {
  const selector = labelSelectorOf(labelSelector)
  if (selector === NOTHING) return selector
  const values = Object.fromEntries(matchLabelKeys.flatMap(key => (metadata.labels?.[key] === undefined ? [] : [[key, metadata.labels[key]]])))
  return [...labelSelectorOfMap(values), ...selector]
}

/** Selects the pods of the same services and controller. Empty if there are none. Source: DefaultSelector of pkg/scheduler/framework/plugins/helper. */
function defaultSelector(pod: Pod, objects: ClusterObjects): LabelRequirement[] {
  const { namespace = '', labels } = pod.metadata
  const merged: Record<string, string> = {}
  for (const { spec } of objects.list<Service>('Service', namespace)) {
    const selector = spec?.selector
    if (selector && Object.keys(selector).length > 0 && matchesLabels(labelSelectorOfMap(selector), labels)) Object.assign(merged, selector)
  }
  const owner = controllerOf(pod)
  if (owner?.apiVersion === 'v1' && owner.kind === 'ReplicationController')
    Object.assign(merged, objects.get<ReplicationController>(owner.kind, namespace, owner.name)?.spec?.selector)
  const selector = labelSelectorOfMap(merged)
  if (owner?.apiVersion !== 'apps/v1' || (owner.kind !== 'ReplicaSet' && owner.kind !== 'StatefulSet')) return selector
  const set = objects.get<ReplicaSet | StatefulSet>(owner.kind, namespace, owner.name)
  return set ? [...selector, ...labelSelectorOf(set.spec?.selector)] : selector
}

/** Counts the pods of a namespace that a selector matches, except those that are being deleted. */
const countMatching = ({ pods }: NodeInfo, selector: readonly LabelRequirement[], namespace: string | undefined): number =>
  pods.reduce((count, { pod }) => (isCounted(pod, selector, namespace) ? count + 1 : count), 0)

const isCounted = ({ metadata }: Pod, selector: readonly LabelRequirement[], namespace: string | undefined): boolean =>
  metadata.deletionTimestamp === undefined && metadata.namespace === namespace && matchesLabels(selector, metadata.labels)

/** Reports whether the pods of a node count for a constraint. */
const includesNode = ({ honorsAffinity, honorsTaints }: Constraint, pod: Pod, { node }: NodeInfo): boolean =>
  (!honorsAffinity || matchesRequiredAffinity(pod, node)) && !(honorsTaints && untoleratedTaint(node.spec?.taints, pod.spec.tolerations, isExclusive))

const hasAllKeys = ({ labels }: NodeInfo, constraints: readonly Constraint[]): boolean =>
  constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined)

/** Checks that a pod would not exceed the skew of any constraint. */
class SpreadFilter implements NodeFilter {
  readonly #pod: Pod
  readonly #constraints: readonly Constraint[]
  /** Number of pods by value of the topology key, for each constraint. */
  readonly #counts: readonly ReadonlyMap<string, number>[]
  readonly #lowest: readonly number[]

  private constructor(pod: Pod, constraints: readonly Constraint[], counts: readonly ReadonlyMap<string, number>[]) {
    this.#pod = pod
    this.#constraints = constraints
    this.#counts = counts
    this.#lowest = counts.map((domains, i) => lowestCount(domains, constraints[i]?.minDomains ?? 1))
  }

  static of(pod: Pod, constraints: readonly Constraint[], { nodes }: Snapshot): SpreadFilter {
    const counts = constraints.map(() => new Map<string, number>())
    for (const node of nodes) {
      if (!hasAllKeys(node, constraints)) continue
      for (const [i, one] of constraints.entries()) {
        if (!includesNode(one, pod, node)) continue
        const domain = node.labels[one.topologyKey] ?? ''
        counts[i]?.set(domain, (counts[i].get(domain) ?? 0) + countMatching(node, one.selector, pod.metadata.namespace))
      }
    }
    return new SpreadFilter(pod, constraints, counts)
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
  readonly #pod: Pod
  readonly #constraints: readonly Constraint[]
  /** Feasible nodes without a required label, which score zero. */
  readonly #ignored = new Set<string>()
  /** Number of pods by domain for each constraint. Empty for host names, which are counted for each node. */
  readonly #counts: readonly Map<string, number>[]
  readonly #weights: readonly number[]

  constructor(pod: Pod, constraints: readonly Constraint[], { nodes }: Snapshot, feasible: readonly NodeInfo[], requiresAll: boolean) {
    this.#pod = pod
    this.#constraints = constraints
    this.#counts = constraints.map(() => new Map())
    for (const node of feasible) {
      if (requiresAll && !hasAllKeys(node, constraints)) this.#ignored.add(node.name)
      else for (const [i, { topologyKey }] of constraints.entries()) if (topologyKey !== HOSTNAME) this.#counts[i]?.set(node.labels[topologyKey] ?? '', 0)
    }
    const hosts = feasible.length - this.#ignored.size
    this.#weights = constraints.map(({ topologyKey }, i) => Math.log((topologyKey === HOSTNAME ? hosts : (this.#counts[i]?.size ?? 0)) + 2))
    for (const node of nodes) if (!requiresAll || hasAllKeys(node, constraints)) this.#count(node)
  }

  #count(node: NodeInfo): void {
    for (const [i, one] of this.#constraints.entries()) {
      const domain = node.labels[one.topologyKey] ?? ''
      const count = this.#counts[i]?.get(domain)
      if (count !== undefined && includesNode(one, this.#pod, node))
        this.#counts[i]?.set(domain, count + countMatching(node, one.selector, this.#pod.metadata.namespace))
    }
  }

  score(node: NodeInfo): number {
    if (this.#ignored.has(node.name)) return 0
    let score = 0
    for (const [i, { topologyKey, selector, maxSkew }] of this.#constraints.entries()) {
      const domain = node.labels[topologyKey]
      if (domain === undefined) continue
      const count = topologyKey === HOSTNAME ? countMatching(node, selector, this.#pod.metadata.namespace) : (this.#counts[i]?.get(domain) ?? 0)
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
