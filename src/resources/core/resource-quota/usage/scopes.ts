import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../v1.types.ts'

/** The scopes of a quota, all of which an object has to be in: those of `scopes` as selectors, then those of the selector. */
export const scopesOf = ({ spec }: ResourceQuota): ScopedResourceSelectorRequirement[] => [
  ...(spec.scopes ?? []).map(scopeName => ({ scopeName, operator: 'Exists' as const })),
  ...(spec.scopeSelector?.matchExpressions ?? []),
]

/** Whether the names that an object gives for a scope, of which there may be none, meet the selector. */
export function selects({ operator, values = [] }: ScopedResourceSelectorRequirement, names: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return names.some(name => values.includes(name))
    case 'NotIn':
      return names.length === 0 || names.some(name => !values.includes(name))
    case 'Exists':
      return names.length > 0
    case 'DoesNotExist':
      return names.length === 0
    default:
      return false
  }
}
