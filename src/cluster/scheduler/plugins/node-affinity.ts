import type { NodeAffinity, NodeSelectorTerm, Pod } from '../../../api/core/v1.types.ts'
import { matchesNodeSelector, matchesRequiredAffinity, preferredWeight } from '../../shared/node-affinity.ts'
import { type NodeFilter, normalizeByHighest, type Plugin, SKIP, type Status, unresolvable } from '../framework.ts'
import { helpsIfSuitable } from '../node-hints.ts'
import type { NodeInfo } from '../node-info.ts'

/** Arguments of the plugin. Source: NodeAffinityArgs of kubescheduler.config.k8s.io/v1. */
export interface NodeAffinityArgs {
  /** Optional. Affinity that holds for every pod besides its own. */
  readonly addedAffinity?: NodeAffinity
}

/** Matches node selectors and node affinity. */
export function nodeAffinity({ addedAffinity }: NodeAffinityArgs = {}): Plugin {
  const added = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const addedPreferred = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  const mismatch = (pod: Pod, { node }: NodeInfo): Status | undefined => {
    if (added && !matchesNodeSelector(added, node)) return unresolvable("node(s) didn't match scheduler-enforced node affinity")
    return matchesRequiredAffinity(pod, node) ? undefined : unresolvable("node(s) didn't match Pod's node affinity/selector")
  }
  return {
    name: 'NodeAffinity',
    isNodeLocal: true,
    isHelpedByNode: helpsIfSuitable(({ pod }, node) => mismatch(pod, node)),
    preFilter({ pod }) {
      const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      if (required === undefined && added === undefined && pod.spec.nodeSelector === undefined) return { status: SKIP }
      const filter: NodeFilter = { check: node => mismatch(pod, node) }
      const nodeNames = required && namedNodes(required.nodeSelectorTerms ?? [])
      if (nodeNames?.size === 0) return { status: unresolvable('pod affinity terms conflict'), filter }
      return nodeNames ? { nodeNames, filter } : { filter }
    },
    preScore({ pod }) {
      const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
      if (!preferred?.length && !addedPreferred?.length) return SKIP
      return {
        score: ({ node }) => preferredWeight(addedPreferred, node) + preferredWeight(preferred, node),
        normalize: scores => normalizeByHighest(scores, false),
      }
    },
  }
}

/**
 * Returns the names of nodes that terms allow by the field `metadata.name`. Undefined if a term allows nodes of any
 * name, or there are no terms.
 */
function namedNodes(terms: readonly NodeSelectorTerm[]): Set<string> | undefined {
  if (terms.length === 0) return undefined
  const all = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const sets = matchFields.flatMap(({ key, operator, values }) => (key === 'metadata.name' && operator === 'In' ? [new Set(values)] : []))
    const [first, ...others] = sets
    if (first === undefined) return undefined
    for (const name of first) if (others.every(set => set.has(name))) all.add(name)
  }
  return all
}
