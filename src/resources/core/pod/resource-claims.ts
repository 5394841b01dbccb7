import type { Pod } from '../v1.types.ts'

/** The resource claims of a pod that there are: those that it names, and those made for it, which its status names. */
export function resourceClaimNames({ spec, status }: Pod): string[] {
  const made = new Map((status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]))
  const names = (spec.resourceClaims ?? []).map(({ name, source, resourceClaimName, resourceClaimTemplateName }) => {
    // The fields of `source` stood there before 1.31.
    const named = resourceClaimName ?? source?.resourceClaimName
    if (named !== undefined) return named
    return (resourceClaimTemplateName ?? source?.resourceClaimTemplateName) === undefined ? undefined : made.get(name)
  })
  return [...names, status?.extendedResourceClaimStatus?.resourceClaimName].filter((name): name is string => name !== undefined && name !== '')
}
