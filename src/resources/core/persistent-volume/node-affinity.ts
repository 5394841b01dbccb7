import { deepEqual } from '../../../meta/equal.ts'
import type { VolumeNodeAffinity } from '../v1.types.ts'

/** Labels of nodes that were beta once, and what they are called now. */
const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
}

/**
 * Reports whether the affinity is unchanged, but for beta labels that now have their GA names. Term and expression must stand at the same index as before.
 * A change from the GA name back to the beta name is a difference, and so is any change of operator, values or order.
 */
export function sameNodeAffinity(next: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity | undefined): boolean {
  return deepEqual(next, old) || (next !== undefined && deepEqual(withOldNames(next, old), old))
}

/** The new affinity with the old keys put back, so that one comparison shows whatever else differs. */
function withOldNames(next: VolumeNodeAffinity, old: VolumeNodeAffinity | undefined): VolumeNodeAffinity {
  const before = old?.required?.nodeSelectorTerms ?? []
  const terms = next.required?.nodeSelectorTerms ?? []
  const renamed = terms.map((term, i) => {
    const oldExpressions = before[i]?.matchExpressions ?? []
    return {
      ...term,
      matchExpressions: (term.matchExpressions ?? []).map((expression, j) => {
        const key = oldExpressions[j]?.key ?? ''
        return Object.hasOwn(RENAMED, key) && RENAMED[key] === expression.key ? { ...expression, key } : expression
      }),
    }
  })
  return { ...next, required: { ...next.required, nodeSelectorTerms: renamed } }
}
