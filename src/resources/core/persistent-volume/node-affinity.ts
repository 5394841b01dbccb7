import type { NodeSelectorRequirement, NodeSelectorTerm, VolumeNodeAffinity } from '../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'

/** Beta labels of nodes, and their GA names. */
const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
}

/**
 * Reports in steps whether the affinity is unchanged, except for beta labels that were replaced with their GA names.
 * Terms and expressions must keep their index. Replacing a GA name with its beta name is a change, and so is any change
 * of operator, values or order.
 */
export function* sameNodeAffinity(next: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity | undefined): Steps<boolean> {
  if (yield* deepEqualBySize(next, old)) return true
  return next !== undefined && (yield* deepEqualBySize(yield* withOldNames(next, old), old))
}

/** Copy of the new affinity with the old keys restored. One comparison then shows any other difference. */
function* withOldNames(next: VolumeNodeAffinity, old: VolumeNodeAffinity | undefined): Steps<VolumeNodeAffinity> {
  const before = old?.required?.nodeSelectorTerms ?? []
  const renamed: NodeSelectorTerm[] = []
  for (const [i, term] of (next.required?.nodeSelectorTerms ?? []).entries()) {
    const oldExpressions = before[i]?.matchExpressions ?? []
    const matchExpressions: NodeSelectorRequirement[] = []
    for (const [j, expression] of (term.matchExpressions ?? []).entries()) {
      if (isStepDone()) yield
      const key = oldExpressions[j]?.key ?? ''
      matchExpressions.push(Object.hasOwn(RENAMED, key) && RENAMED[key] === expression.key ? { ...expression, key } : expression)
    }
    renamed.push({ ...term, matchExpressions })
  }
  return { ...next, required: { ...next.required, nodeSelectorTerms: renamed } }
}
