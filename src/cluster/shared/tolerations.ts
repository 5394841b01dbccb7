import type { Taint, Toleration } from '../../api/core/v1.types.ts'
import { parseInt64 } from '../../lib/integer.ts'

/**
 * Reports whether a toleration tolerates a taint. An empty key or effect of the toleration matches every one. Source:
 * ToleratesTaint of k8s.io/api/core/v1.
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  const value = taint.value ?? ''
  switch (toleration.operator || 'Equal') {
    case 'Equal':
      return (toleration.value ?? '') === value
    case 'Exists':
      return true
    case 'Gt':
    case 'Lt':
      return compares(value, toleration.operator === 'Gt', toleration.value ?? '')
    default:
      return false
  }
}

function compares(taint: string, isGreater: boolean, toleration: string): boolean {
  const left = parseInt64(taint)
  const right = parseInt64(toleration)
  return left !== undefined && right !== undefined && (isGreater ? left > right : left < right)
}

/** Returns the first of the taints that no toleration tolerates. `counts` selects the taints that matter. */
export const untoleratedTaint = (
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  counts: (taint: Taint) => boolean,
): Taint | undefined => taints?.find(taint => counts(taint) && !tolerations?.some(toleration => tolerates(toleration, taint)))

/** Reports whether a taint keeps new pods off a node. */
export const isExclusive = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute'
