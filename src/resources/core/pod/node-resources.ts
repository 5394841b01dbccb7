import type { NodeAllocatableResourceClaimStatus, Pod } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { canonicalQuantity, quantitySign } from '../../../meta/quantity.ts'
import { isNativeResource } from '../pod-spec/resources.ts'

/**
 * Validates the allocatable node resources that claims consume. Each entry must belong to a claim that the pod names or
 * that was created for it. Since 1.36, which has one list of resources and requires containers. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateNodeResources({ spec, status }: Pod, release: Release, path: FieldPath): FieldError[] {
  const { nodeAllocatableResourceClaimStatuses: statuses = [], resourceClaimStatuses = [], extendedResourceClaimStatus } = status
  const claims = new Set([...(spec.resourceClaims ?? []), ...resourceClaimStatuses].map(({ resourceClaimName }) => resourceClaimName))
  if (isSince(release, '1.37')) claims.add(extendedResourceClaimStatus?.resourceClaimName)
  return statuses.flatMap((entry, i) => {
    const { resourceClaimName: name } = entry
    const at = path.index(i)
    return [
      ...(name === '' ? [required(at.child('resourceClaimName'), 'must not be empty')] : []),
      ...(claims.has(name) ? [] : [invalid(at.child('resourceClaimName'), name, 'no mapping found in pod reference')]),
      ...(isSince(release, '1.37') ? validateDevices(entry, at) : validateResources(entry, at)),
    ]
  })
}

function validateResources({ containers = [], resources }: NodeAllocatableResourceClaimStatus, at: FieldPath): FieldError[] {
  const entries = Object.entries(resources ?? {})
  return [
    ...(containers.length === 0 ? [required(at.child('containers'), 'must not be empty')] : []),
    ...(entries.length === 0 ? [required(at.child('resources'), 'must not be empty')] : []),
    ...entries.flatMap(([resource, quantity]) => {
      const key = at.child('resources').key(resource)
      return [...validateNativeName(resource, key), ...validateAmount(quantity, key)]
    }),
  ]
}

function validateDevices({ mapping = [], overhead = [] }: NodeAllocatableResourceClaimStatus, at: FieldPath): FieldError[] {
  return [
    ...mapping.flatMap(({ name, quantity }, i) => {
      const path = at.child('mapping').index(i)
      return [...validateNativeName(name, path.child('name')), ...validateAmount(quantity, path.child('quantity'))]
    }),
    ...overhead.flatMap(({ name, perPod, perContainer }, i) => {
      const path = at.child('overhead').index(i)
      return [
        ...validateNativeName(name, path.child('name')),
        ...validateAmount(perPod, path.child('perPod')),
        ...validateAmount(perContainer, path.child('perContainer')),
      ]
    }),
  ]
}

const validateNativeName = (resource: string, path: FieldPath): FieldError[] =>
  isNativeResource(resource) ? [] : [invalid(path, resource, 'must be a node allocatable resource name')]

const validateAmount = (quantity: string | null | undefined, path: FieldPath): FieldError[] =>
  quantitySign(quantity) < 0 ? [invalid(path, canonicalQuantity(quantity ?? '0'), 'must be non-negative')] : []
