import type { Pod } from '../../../api/core/v1.types.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { canonicalQuantity, quantitySign } from '../../../meta/quantity.ts'
import { isNativeResource } from '../pod-spec/resources.ts'

/**
 * Validates the allocatable node resources that claims consume. Each entry must belong to a claim that the pod names or
 * that was created for it. Since 1.36. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateNodeResources({ spec, status }: Pod, path: FieldPath): FieldError[] {
  const { nodeAllocatableResourceClaimStatuses: statuses = [], resourceClaimStatuses = [] } = status
  const claims = new Set([...(spec.resourceClaims ?? []), ...resourceClaimStatuses].map(({ resourceClaimName }) => resourceClaimName))
  return statuses.flatMap(({ resourceClaimName: name, containers = [], resources }, i) => {
    const at = path.index(i)
    const entries = Object.entries(resources ?? {})
    return [
      ...(name === '' ? [required(at.child('resourceClaimName'), 'must not be empty')] : []),
      ...(claims.has(name) ? [] : [invalid(at.child('resourceClaimName'), name, 'no mapping found in pod reference')]),
      ...(containers.length === 0 ? [required(at.child('containers'), 'must not be empty')] : []),
      ...(entries.length === 0 ? [required(at.child('resources'), 'must not be empty')] : []),
      ...entries.flatMap(([resource, quantity]) => {
        const key = at.child('resources').key(resource)
        return [
          ...(isNativeResource(resource) ? [] : [invalid(key, resource, 'must be a node allocatable resource name')]),
          ...(quantitySign(quantity) < 0 ? [invalid(key, canonicalQuantity(quantity ?? '0'), 'must be non-negative')] : []),
        ]
      }),
    ]
  })
}
