import type { Pod } from '../../../api/core/v1.types.ts'
import type { Labels } from '../../../meta/label-matcher.ts'
import { matchesLabels, NOTHING } from '../../../meta/label-selector.ts'
import { type AffinityTerm, selectsPod } from '../affinity-term.ts'
import { MAX_SCORE, type NodeFilter, type NodeScorer, type Plugin, SKIP, unresolvable, unschedulable } from '../framework.ts'
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
    preFilter(info, snapshot) {
      const hasTerms = info.requiredAffinity.length > 0 || info.requiredAntiAffinity.length > 0
      if (!hasTerms && !snapshot.hasRequiredAntiAffinity) return { status: SKIP }
      const terms: IncomingTerms = {
        info,
        namespaceLabels: snapshot.namespaceLabels(info.pod.metadata.namespace ?? ''),
        affinity: info.requiredAffinity.map(term => withNamespaces(term, snapshot)),
        antiAffinity: info.requiredAntiAffinity.map(term => withNamespaces(term, snapshot)),
      }
      const key = keyOf(info.pod, terms.namespaceLabels, [terms.affinity, terms.antiAffinity])
      const counts = counted.of(key, snapshot, {
        empty: () => ({ affinity: new TopologyCounts(), antiAffinity: new TopologyCounts(), existingAntiAffinity: new TopologyCounts() }),
        count(tally, pods, node, change) {
          for (const pod of pods) countPod(tally, terms, pod, node, change)
        },
        nodes: ({ nodes, withRequiredAntiAffinity }) => (hasTerms ? nodes : withRequiredAntiAffinity),
      })
      const filter = new AffinityFilter(terms, counts)
      return filter.isIdle ? { status: SKIP } : { filter }
    },
    preScore(info, snapshot, feasible) {
      const hasPreferences = info.preferredAffinity.length > 0 || info.preferredAntiAffinity.length > 0
      if (feasible.length === 0 || (ignorePreferredTermsOfExistingPods && !hasPreferences)) return SKIP
      if (!hasPreferences && !snapshot.hasAffinity) return SKIP
      const terms = new PreferredTerms(info, snapshot, hardPodAffinityWeight)
      const sums = scored.of(keyOf(info.pod, terms.namespaceLabels, [terms.affinity, terms.antiAffinity]), snapshot, {
        empty: () => new TopologySums(),
        count(tally, pods, node, change) {
          for (const pod of pods) terms.add(tally, pod, node, change)
        },
        nodes: ({ nodes, withAffinity }) => (hasPreferences ? nodes : withAffinity),
      })
      return sums.isEmpty ? SKIP : new TopologyScores(sums)
    },
  }
}

/**
 * Returns the key of pods that share a tally. It has all members of the new pod that terms match, those of assigned
 * pods included.
 */
function keyOf({ metadata }: Pod, namespaceLabels: Labels, terms: readonly (readonly AffinityTerm[])[]): string {
  const own = terms.map(list =>
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

/** Resolves a term's selector of namespaces to their names. An empty selector, which selects all, remains. */
function withNamespaces(term: AffinityTerm, { objects }: Snapshot): AffinityTerm {
  if (term.namespaceSelector.length === 0 || term.namespaceSelector === NOTHING) return term
  const selected = objects.list('Namespace').filter(({ metadata }) => matchesLabels(term.namespaceSelector, metadata.labels))
  return {
    ...term,
    namespaces: new Set([...term.namespaces, ...selected.map(({ metadata }) => metadata.name ?? '')]),
    namespaceSelector: NOTHING,
  }
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

  constructor({ pod, preferredAffinity, preferredAntiAffinity }: PodInfo, snapshot: Snapshot, hardWeight: number) {
    this.#pod = pod
    this.namespaceLabels = snapshot.namespaceLabels(pod.metadata.namespace ?? '')
    this.affinity = preferredAffinity.map(term => withNamespaces(term, snapshot))
    this.antiAffinity = preferredAntiAffinity.map(term => withNamespaces(term, snapshot))
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
