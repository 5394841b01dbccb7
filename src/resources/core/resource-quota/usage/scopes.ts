import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../../api/core/v1.types.ts'

/**
 * Returns the scopes of a quota: those of `scopes`, as selectors, then those of `scopeSelector`. An object must be in
 * all of them.
 */
export const scopesOf = ({ spec }: ResourceQuota): ScopedResourceSelectorRequirement[] => [
  ...(spec.scopes ?? []).map(scopeName => ({ scopeName, operator: 'Exists' as const })),
  ...(spec.scopeSelector?.matchExpressions ?? []),
]

/** Reports whether the names that an object has for a scope match the selector. There may be none. */
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
