import type { Pod } from '../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../api/meta/object.ts'
import { isLongStepDone, runAtOnce, type Steps } from '../../../lib/steps.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { Labels } from '../../../meta/label-matcher.ts'
import { matchesLabels, NOTHING } from '../../../meta/label-selector.ts'
import { type AffinityTerm, selectsPod } from '../affinity-term.ts'
import { MAX_SCORE, type NodeFilter, type NodeScorer, type Plugin, SKIP, unresolvable, unschedulable } from '../framework.ts'
import { identityNumber } from '../identity-number.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import type { Snapshot } from '../snapshot.ts'
import { Tallies } from '../tallies.ts'

/** Arguments of the plugin. Source: InterPodAffinityArgs of kubescheduler.config.k8s.io/v1. */
export interface InterPodAffinityArgs {
  /** Optional. Weight of required affinity that assigned pods have to the new one. Default: 1. */
  readonly hardPodAffinityWeight?: number
  /** Optional. Whether preferred terms of assigned pods count only for pods with preferred terms of their own. */
  readonly ignorePreferredTermsOfExistingPods?: boolean
}

/** Places pods near or away from others. */
export const interPodAffinity = ({
  hardPodAffinityWeight = 1,
  ignorePreferredTermsOfExistingPods = false,
}: InterPodAffinityArgs = {}): Plugin => {
  const counted = new Tallies<AffinityCounts>()
  const scored = new Tallies<TopologySums>()
  const isScored = (info: PodInfo, snapshot: Snapshot): boolean =>
    hasPreferences(info) || (snapshot.hasAffinity && !ignorePreferredTermsOfExistingPods)
  function* prepareCounts(info: PodInfo, snapshot: Snapshot): Steps<AffinityFilter> {
    const terms: IncomingTerms = {
      info,
      namespaceLabels: snapshot.namespaceLabels(info.pod.metadata.namespace ?? ''),
      affinity: yield* withNamespaces(info.requiredAffinity, snapshot),
      antiAffinity: yield* withNamespaces(info.requiredAntiAffinity, snapshot),
    }
    const weight = 1 + weightOf(terms.affinity) + weightOf(terms.antiAffinity)
    const counts = yield* counted.prepare(keyOf(info, terms), snapshot, {
      empty: () => ({ affinity: new TopologyCounts(), antiAffinity: new TopologyCounts(), existingAntiAffinity: new TopologyCounts() }),
      count(tally, pods, node, change) {
        for (const pod of pods) countPod(tally, terms, pod, node, change)
      },
      weigh: ({ requiredAntiAffinity }) => weight + weightOf(requiredAntiAffinity),
      nodes: snapshot => nodesWith(snapshot, [...terms.affinity, ...terms.antiAffinity], snapshot.withRequiredAntiAffinity),
    })
    return new AffinityFilter(terms, counts)
  }
  function* prepareSums(info: PodInfo, snapshot: Snapshot): Steps<TopologySums> {
    const affinity = yield* withNamespaces(info.preferredAffinity, snapshot)
    const antiAffinity = yield* withNamespaces(info.preferredAntiAffinity, snapshot)
    const namespaceLabels = snapshot.namespaceLabels(info.pod.metadata.namespace ?? '')
    const terms = new PreferredTerms({ info, namespaceLabels, affinity, antiAffinity }, hardPodAffinityWeight)
    const weight = 1 + weightOf(affinity) + weightOf(antiAffinity)
    return yield* scored.prepare(keyOf(info, terms), snapshot, {
      empty: () => new TopologySums(),
      count(tally, pods, node, change) {
        for (const pod of pods) terms.add(tally, pod, node, change)
      },
      weigh: pod => weight + weightOf(pod.requiredAffinity) + weightOf(pod.preferredAffinity) + weightOf(pod.preferredAntiAffinity),
      nodes: snapshot => nodesWith(snapshot, [...affinity, ...antiAffinity], snapshot.withAffinity),
    })
  }
  return {
    name: 'InterPodAffinity',
    isHelpedByPod(info, change, other) {
      const mayMatch = (term: AffinityTerm, { metadata }: Pod): boolean =>
        matchesLabels(term.selector, metadata.labels) &&
        (term.namespaces.has(metadata.namespace ?? '') || term.namespaceSelector !== NOTHING)
      if (change === 'assigned pod added') return info.requiredAffinity.some(term => mayMatch(term, other.pod))
      return (
        info.requiredAntiAffinity.some(term => mayMatch(term, other.pod)) ||
        other.requiredAntiAffinity.some(term => mayMatch(term, info.pod))
      )
    },
    prepareFilter(info, snapshot) {
      return hasTerms(info) || snapshot.hasRequiredAntiAffinity ? prepareCounts(info, snapshot) : undefined
    },
    preFilter(info, snapshot) {
      if (!hasTerms(info) && !snapshot.hasRequiredAntiAffinity) return { status: SKIP }
      const filter = runAtOnce(prepareCounts(info, snapshot))
      return filter.isIdle ? { status: SKIP } : { filter }
    },
    prepareScore(info, snapshot) {
      return isScored(info, snapshot) ? prepareSums(info, snapshot) : undefined
    },
    preScore(info, snapshot, feasible) {
      if (feasible.length === 0 || !isScored(info, snapshot)) return SKIP
      const sums = runAtOnce(prepareSums(info, snapshot))
      return sums.isEmpty ? SKIP : new TopologyScores(sums)
    },
  }
}

const hasTerms = ({ requiredAffinity, requiredAntiAffinity }: PodInfo): boolean =>
  requiredAffinity.length > 0 || requiredAntiAffinity.length > 0
const hasPreferences = ({ preferredAffinity, preferredAntiAffinity }: PodInfo): boolean =>
  preferredAffinity.length > 0 || preferredAntiAffinity.length > 0

/** Returns the nodes that may have pods which terms select, and further ones, in steps. */
function* nodesWith(snapshot: Snapshot, terms: readonly AffinityTerm[], others: Iterable<NodeInfo>): Steps<Iterable<NodeInfo>> {
  // An empty selector selects all namespaces.
  if (terms.some(({ namespaceSelector }) => namespaceSelector.length === 0)) return snapshot.nodes
  const queries = terms.map(({ namespaces, selector }) => ({ namespaces, requirements: selector }))
  const selected = yield* snapshot.nodesWithPods(queries)
  return selected === snapshot.nodes ? selected : new Set([...selected, ...others])
}

const weights = new WeakMap<readonly AffinityTerm[], number>()

/** Number of terms and of their requirements. */
function weightOf(terms: readonly AffinityTerm[]): number {
  if (terms.length === 0) return 0
  let weight = weights.get(terms)
  if (weight === undefined) {
    weight = terms.reduce((sum, { selector }) => sum + 1 + selector.length, 0)
    weights.set(terms, weight)
  }
  return weight
}

/**
 * Returns the key of pods that share a tally. It has all members of the new pod that terms match, those of assigned
 * pods included.
 */
function keyOf({ pod: { metadata }, isLarge }: PodInfo, terms: Omit<IncomingTerms, 'info'>): string {
  const { affinity, antiAffinity } = terms
  const namespaceLabels = hasFewValues(terms.namespaceLabels) ? terms.namespaceLabels : identityNumber(terms.namespaceLabels)
  // The text of a large pod would take milliseconds. Its parts are the same objects until they change.
  if (isLarge)
    return JSON.stringify([metadata.namespace, namespaceLabels, ...[metadata.labels, affinity, antiAffinity].map(identityNumber)])
  const own = [affinity, antiAffinity].map(list =>
    list.map(({ topologyKey, selector, namespaces, namespaceSelector, weight }) => [
      topologyKey,
      selector,
      [...namespaces],
      namespaceSelector,
      weight,
    ]),
  )
  return JSON.stringify([metadata.namespace, metadata.labels, namespaceLabels, own])
}

/** Resolved terms, with the namespaces that they are resolved for. */
const resolved = new WeakMap<
  readonly AffinityTerm[],
  { readonly namespaces: readonly KubeObject[]; readonly terms: readonly AffinityTerm[] }
>()

const selectsNamespaces = ({ namespaceSelector }: AffinityTerm): boolean => namespaceSelector.length > 0 && namespaceSelector !== NOTHING

/**
 * Resolves terms' selectors of namespaces to their names, in steps. An empty selector, which selects all, remains.
 * Returns the same list as before if no namespace has changed.
 */
function* withNamespaces(terms: readonly AffinityTerm[], { objects }: Snapshot): Steps<readonly AffinityTerm[]> {
  if (!terms.some(selectsNamespaces)) return terms
  const all = objects.list('Namespace')
  const known = resolved.get(terms)
  if (known?.namespaces === all) return known.terms
  const own: AffinityTerm[] = []
  for (const term of terms) {
    if (!selectsNamespaces(term)) {
      own.push(term)
      continue
    }
    const namespaces = new Set(term.namespaces)
    for (const { metadata } of all) {
      if (isLongStepDone()) yield
      if (matchesLabels(term.namespaceSelector, metadata.labels)) namespaces.add(metadata.name ?? '')
    }
    own.push({ ...term, namespaces, namespaceSelector: NOTHING })
  }
  resolved.set(terms, { namespaces: all, terms: own })
  return own
}

/** The pod's own required terms, and the labels of its namespace. */
interface IncomingTerms {
  /** The new pod. */
  readonly info: PodInfo
  /** Labels of its namespace, for namespace selectors of other pods' terms. */
  readonly namespaceLabels: Labels
  /** Required affinity terms, with their namespaces resolved. */
  readonly affinity: readonly AffinityTerm[]
  readonly antiAffinity: readonly AffinityTerm[]
}

/** Numbers of pods by topology key and value. */
class TopologyCounts {
  readonly #counts = new Map<string, Map<string, number>>()

  /** Number of pods in a domain. */
  get(key: string, value: string): number {
    return this.#counts.get(key)?.get(value) ?? 0
  }

  /** Adds to the domain that the node is in. A node without the label is in none. */
  add(key: string, { labels }: NodeInfo, change: number): void {
    const value = labels[key]
    if (value === undefined) return
    let values = this.#counts.get(key)
    if (values === undefined) {
      values = new Map()
      this.#counts.set(key, values)
    }
    const count = (values.get(value) ?? 0) + change
    if (count === 0) values.delete(value)
    else values.set(value, count)
    if (values.size === 0) this.#counts.delete(key)
  }

  /** Whether no domain has pods. */
  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  /** Reports whether one of the node's domains has pods. */
  includes({ labels }: NodeInfo): boolean {
    for (const [key, values] of this.#counts) {
      const value = labels[key]
      if (value !== undefined && (values.get(value) ?? 0) > 0) return true
    }
    return false
  }

  /** Returns a copy that changes independently. */
  copy(): TopologyCounts {
    const copy = new TopologyCounts()
    for (const [key, values] of this.#counts) copy.#counts.set(key, new Map(values))
    return copy
  }
}

/** Pods that terms concern, by domain. */
interface AffinityCounts {
  /** Pods that match all required affinity terms of the new pod. */
  readonly affinity: TopologyCounts
  /** Pods that match a required anti-affinity term of the new pod. */
  readonly antiAffinity: TopologyCounts
  /** Pods with a required anti-affinity term that matches the new pod. */
  readonly existingAntiAffinity: TopologyCounts
}

/** Adds an assigned pod to the counts, or takes it away. */
function countPod(counts: AffinityCounts, terms: IncomingTerms, existing: PodInfo, node: NodeInfo, change: 1 | -1): void {
  for (const term of existing.requiredAntiAffinity)
    if (selectsPod(term, terms.info.pod, terms.namespaceLabels)) counts.existingAntiAffinity.add(term.topologyKey, node, change)
  if (selectsWithAll(terms.affinity, existing.pod))
    for (const { topologyKey } of terms.affinity) counts.affinity.add(topologyKey, node, change)
  for (const term of terms.antiAffinity) if (selectsPod(term, existing.pod, {})) counts.antiAffinity.add(term.topologyKey, node, change)
}

/** Reports whether all terms, of which there must be one, select a pod. */
const selectsWithAll = (terms: readonly AffinityTerm[], pod: Pod): boolean =>
  terms.length > 0 && terms.every(term => selectsPod(term, pod, {}))

/** Filter of a pod by the counts of the domains of each node. */
class AffinityFilter implements NodeFilter {
  readonly #terms: IncomingTerms
  readonly #counts: AffinityCounts

  constructor(terms: IncomingTerms, counts: AffinityCounts) {
    this.#terms = terms
    this.#counts = counts
  }

  /** Whether there is nothing to check. */
  get isIdle(): boolean {
    return this.#terms.affinity.length === 0 && this.#terms.antiAffinity.length === 0 && this.#counts.existingAntiAffinity.isEmpty
  }

  check(node: NodeInfo) {
    if (!this.#isNearOthers(node)) return unresolvable("node(s) didn't match pod affinity rules")
    const isNearUnwanted = this.#terms.antiAffinity.some(({ topologyKey }) => {
      const value = node.labels[topologyKey]
      return value !== undefined && this.#counts.antiAffinity.get(topologyKey, value) > 0
    })
    if (isNearUnwanted) return unschedulable("node(s) didn't match pod anti-affinity rules")
    return this.#counts.existingAntiAffinity.includes(node)
      ? unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")
      : undefined
  }

  /**
   * Reports whether each affinity term finds pods in the node's domain. The first pod of a group that selects itself
   * may go anywhere.
   */
  #isNearOthers({ labels }: NodeInfo): boolean {
    let areFound = true
    for (const { topologyKey } of this.#terms.affinity) {
      const value = labels[topologyKey]
      if (value === undefined) return false
      if (this.#counts.affinity.get(topologyKey, value) <= 0) areFound = false
    }
    return areFound || (this.#counts.affinity.isEmpty && selectsWithAll(this.#terms.affinity, this.#terms.info.pod))
  }

  /** Copies the counts, and changes them for a pod. */
  with(pod: PodInfo, node: NodeInfo, change: 1 | -1): NodeFilter {
    const { affinity, antiAffinity, existingAntiAffinity } = this.#counts
    const counts = { affinity: affinity.copy(), antiAffinity: antiAffinity.copy(), existingAntiAffinity: existingAntiAffinity.copy() }
    countPod(counts, this.#terms, pod, node, change)
    return new AffinityFilter(this.#terms, counts)
  }
}

/** Sums of weights by topology key and value. */
class TopologySums {
  readonly #sums = new Map<string, Map<string, number>>()

  /** Whether no term has matched. */
  get isEmpty(): boolean {
    return this.#sums.size === 0
  }

  /** Adds a weight to the domain that the node is in. */
  add({ topologyKey }: AffinityTerm, weight: number, { labels }: NodeInfo): void {
    const value = labels[topologyKey]
    if (value === undefined) return
    let sums = this.#sums.get(topologyKey)
    if (sums === undefined) {
      sums = new Map()
      this.#sums.set(topologyKey, sums)
    }
    sums.set(value, (sums.get(value) ?? 0) + weight)
  }

  /** Sum of the weights of the node's domains. */
  scoreOf({ labels }: NodeInfo): number {
    let score = 0
    for (const [key, sums] of this.#sums) {
      const value = labels[key]
      if (value !== undefined) score += sums.get(value) ?? 0
    }
    return score
  }
}

/** Terms that score nodes for a new pod: its own preferred ones, and those of assigned pods. */
class PreferredTerms {
  /** Labels of the new pod's namespace. */
  readonly namespaceLabels: Labels
  /** Preferred affinity terms of the new pod, with their namespaces resolved. */
  readonly affinity: readonly AffinityTerm[]
  readonly antiAffinity: readonly AffinityTerm[]
  readonly #pod: Pod
  readonly #hardWeight: number

  constructor({ info, namespaceLabels, affinity, antiAffinity }: IncomingTerms, hardWeight: number) {
    this.#pod = info.pod
    this.namespaceLabels = namespaceLabels
    this.affinity = affinity
    this.antiAffinity = antiAffinity
    this.#hardWeight = hardWeight
  }

  /** Adds the weights of terms between the new pod and an assigned one, or takes them away. */
  add(sums: TopologySums, existing: PodInfo, node: NodeInfo, change: 1 | -1): void {
    for (const term of this.affinity) if (selectsPod(term, existing.pod, {})) sums.add(term, change * term.weight, node)
    for (const term of this.antiAffinity) if (selectsPod(term, existing.pod, {})) sums.add(term, -change * term.weight, node)
    if (this.#hardWeight > 0)
      for (const term of existing.requiredAffinity) if (this.#isSelectedBy(term)) sums.add(term, change * this.#hardWeight, node)
    for (const term of existing.preferredAffinity) if (this.#isSelectedBy(term)) sums.add(term, change * term.weight, node)
    for (const term of existing.preferredAntiAffinity) if (this.#isSelectedBy(term)) sums.add(term, -change * term.weight, node)
  }

  /** Reports whether a term of an assigned pod selects the new pod. */
  #isSelectedBy(term: AffinityTerm): boolean {
    return selectsPod(term, this.#pod, this.namespaceLabels)
  }
}

class TopologyScores implements NodeScorer {
  readonly #sums: TopologySums

  constructor(sums: TopologySums) {
    this.#sums = sums
  }

  score(node: NodeInfo): number {
    return this.#sums.scoreOf(node)
  }

  /** Scales scores so that the lowest becomes 0 and the highest MAX_SCORE. All are 0 if they are equal. */
  normalize(scores: Float64Array): void {
    let lowest = Number.POSITIVE_INFINITY
    let highest = Number.NEGATIVE_INFINITY
    for (const score of scores) {
      if (score < lowest) lowest = score
      if (score > highest) highest = score
    }
    const range = highest - lowest
    for (let i = 0; i < scores.length; i++) scores[i] = range > 0 ? Math.trunc(MAX_SCORE * (((scores[i] ?? 0) - lowest) / range)) : 0
  }
}
