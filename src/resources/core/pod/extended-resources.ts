import type { PodExtendedResourceClaimStatus, PodSpec } from '../../../api/core/v1.types.ts'
import { duplicate, type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateDnsLabel } from '../checks.ts'

/**
 * Validates the status of the claim for extended resources: each mapping refers to a request of one of the pod's
 * containers, and each request is mapped once. Source: pkg/apis/core/validation in k8s.io/kubernetes, since 1.34.
 */
export function validateExtendedResources(
  { requestMappings, resourceClaimName: claim }: PodExtendedResourceClaimStatus,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const list = path.child('requestMappings')
  const containers = new Map([...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(container => [container.name, container]))
  const mappings = requestMappings ?? []
  const errors = mappings.length === 0 ? [required(list, 'at least one request mapping is required')] : []
  const seen = new Set<string>()
  mappings.forEach(({ containerName, resourceName, requestName }, i) => {
    const container = list.index(i).child('containerName')
    const resource = list.index(i).child('resourceName')
    const known = containers.get(containerName)
    if (!known)
      errors.push(invalid(container, containerName, 'must match the name of an entry in spec.initContainers.name or spec.containers.name'))
    else if (known.resources.requests?.[resourceName] === undefined) errors.push(invalid(resource, resourceName, NOT_REQUESTED))
    errors.push(...validateDnsLabel(requestName, path.child('requestName')))
    const key = `${containerName}/${resourceName}`
    if (seen.has(key)) errors.push(duplicate(container, containerName), duplicate(resource, resourceName))
    seen.add(key)
  })
  const at = path.child('resourceClaimName')
  return [...errors, ...(claim === '' ? [required(at)] : nameIsDnsSubdomain(claim, false).map(text => invalid(at, claim, text)))]
}

const NOT_REQUESTED =
  'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests'
