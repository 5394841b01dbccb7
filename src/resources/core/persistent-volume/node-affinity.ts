import type { VolumeNodeAffinity } from '../../../api/core/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'

/** Beta labels of nodes, and their GA names. */
const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
}

/**
 * Reports whether the affinity is unchanged, except for beta labels that were replaced with their GA names. Terms and
 * expressions must keep their index. Replacing a GA name with its beta name is a change, and so is any change of
 * operator, values or order.
 */
export function sameNodeAffinity(next: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity | undefined): boolean {
  return deepEqual(next, old) || (next !== undefined && deepEqual(withOldNames(next, old), old))
}

/** Copy of the new affinity with the old keys restored. One comparison then shows any other difference. */
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
