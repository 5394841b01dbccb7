import { runAtOnce } from '../../../lib/steps.ts'
import { ownMember } from '../../../meta/equal.ts'
import { type FieldError, forbidden, invalid, notSupported, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import type { PodSpec, ResourceRequirements } from '../v1.types.ts'
import { containerAmounts, isPodLevelResource } from './pod-amounts.ts'
import { type ResourceOptions, validateResourceName, validateResources } from './resources.ts'

const SUPPORTED = ['cpu', 'hugepages-', 'memory']

/** What a pod needs as a whole: known resources, no less than its containers ask for together, and no less than one of them may use. Source: pkg/apis/core/validation in k8s.io/kubernetes. */
export function validatePodResources(
  resources: ResourceRequirements,
  spec: PodSpec,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  options: ResourceOptions,
): FieldError[] {
  return [
    ...(resources.claims ? [forbidden(path.child('claims'), 'claims cannot be set for Resources at pod-level')] : []),
    ...validateResources(resources, claimNames, path, options, validatePodResourceName),
    ...validateRequests(resources, spec, path.child('requests')),
    ...validateLimits(resources, spec, path.child('containers')),
  ]
}

function validatePodResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path)
  return errors.length > 0 || isPodLevelResource(name) ? errors : [notSupported(path, verbatim(name), SUPPORTED)]
}

/** What the containers request together is at most the pod’s request; a resource without one counts as 0. */
function validateRequests({ requests }: ResourceRequirements, spec: PodSpec, path: FieldPath): FieldError[] {
  return Object.entries(runAtOnce(containerAmounts(spec, 'requests'))).flatMap(([name, amount]) => {
    const own = ownMember(requests, name) ?? '0'
    return compareQuantity(amount, own) > 0 ? [invalid(path.key(name), own, `must be greater than or equal to aggregate container requests of ${amount}`)] : []
  })
}

/** Upstream's path is that of no field. */
function validateLimits({ limits }: ResourceRequirements, spec: PodSpec, path: FieldPath): FieldError[] {
  return (spec.containers ?? []).flatMap(({ resources }, i) =>
    Object.entries(resources.limits ?? {}).flatMap(([name, amount]) => {
      const own = ownMember(limits, name)
      if (own === undefined || compareQuantity(amount, own) <= 0) return []
      return [invalid(path.index(i).key(name).child('limits'), amount, `must be less than or equal to pod limits of ${own}`)]
    }),
  )
}
