import type { Pod, PodAffinityTerm } from '../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import type { Labels } from '../../meta/label-matcher.ts'
import { type LabelRequirement, labelSelectorInSteps, matchesLabels } from '../../meta/label-selector.ts'

/** A term of pod affinity or anti-affinity, ready to be matched. */
export interface AffinityTerm {
  readonly topologyKey: string
  readonly selector: readonly LabelRequirement[]
  readonly namespaces: ReadonlySet<string>
  /** Selects further namespaces by their labels. */
  readonly namespaceSelector: readonly LabelRequirement[]
  /** 1 to 100 for a preferred term, 0 for a required one. */
  readonly weight: number
}

/** Prepares a term of a pod in steps. A term without namespaces means the pod's own. */
export function* affinityTerm(
  pod: Pod,
  { topologyKey, labelSelector, namespaces, namespaceSelector }: PodAffinityTerm,
  weight = 0,
): Steps<AffinityTerm> {
  const isOwn = !namespaces?.length && namespaceSelector === undefined
  return {
    topologyKey,
    selector: yield* labelSelectorInSteps(labelSelector),
    namespaces: isOwn ? new Set([pod.metadata.namespace ?? '']) : yield* setOf(namespaces ?? []),
    namespaceSelector: yield* labelSelectorInSteps(namespaceSelector),
    weight,
  }
}

function* setOf(names: readonly string[]): Steps<Set<string>> {
  const set = new Set<string>()
  for (const name of names) {
    if (isStepDone()) yield
    set.add(name)
  }
  return set
}

/** Reports whether a term selects a pod. `namespaceLabels`: labels of the pod's namespace. */
export function selectsPod(term: AffinityTerm, { metadata }: Pick<Pod, 'metadata'>, namespaceLabels: Labels): boolean {
  const isInNamespace = term.namespaces.has(metadata.namespace ?? '') || matchesLabels(term.namespaceSelector, namespaceLabels)
  return isInNamespace && matchesLabels(term.selector, metadata.labels)
}
