import type { Pod } from '../../../api/core/v1.types.ts'

/**
 * Returns the resource claims of a pod that exist: those that it names, and those created for it, which its status
 * names.
 */
export function resourceClaimNames({ spec, status }: Pod): string[] {
  const made = new Map((status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]))
  const names = (spec.resourceClaims ?? []).map(({ name, source, resourceClaimName, resourceClaimTemplateName }) => {
    // Before 1.31 these fields were nested in `source`.
    const named = resourceClaimName ?? source?.resourceClaimName
    if (named !== undefined) return named
    return (resourceClaimTemplateName ?? source?.resourceClaimTemplateName) === undefined ? undefined : made.get(name)
  })
  return [...names, status?.extendedResourceClaimStatus?.resourceClaimName].filter(
    (name): name is string => name !== undefined && name !== '',
  )
}
