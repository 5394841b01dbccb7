import type { PodSpec, ResourceRequirements } from '../../../api/core/v1.types.ts'
import { runAtOnce } from '../../../lib/steps.ts'
import { ownMember } from '../../../meta/equal.ts'
import { type FieldError, forbidden, invalid, notSupported, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { goStringer } from '../../shared/go-syntax.ts'
import { type Amounts, containerAmounts, isPodLevelResource } from './pod-amounts.ts'
import { isHugePages, type ResourceOptions, validateResourceName, validateResources } from './resources.ts'

interface PodResourceOptions extends ResourceOptions {
  /** Since 1.34: requests that the pod does not set are not compared with its containers'. */
  readonly comparesGivenPodResources: boolean
}

const SUPPORTED = ['cpu', 'hugepages-', 'memory']

/**
 * Validates pod-level resources: known resources, at least the sum of the containers' requests, and at least the limit
 * of each container. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validatePodResources(
  resources: ResourceRequirements,
  spec: PodSpec,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  options: PodResourceOptions,
): FieldError[] {
  const { comparesGivenPodResources: givenOnly } = options
  if (givenOnly && spec.os?.name === 'windows') return [forbidden(path, 'may not be set for a windows pod')]
  return [
    ...(resources.claims
      ? [
          forbidden(
            path.child('claims'),
            words('claims cannot be set for Resources at pod-level', 'claims may not be set for Resources at pod-level'),
          ),
        ]
      : []),
    ...validateResources(resources, claimNames, path, options, validatePodResourceName),
    ...validateRequests(resources, spec, path, givenOnly),
    ...(givenOnly ? validateHugePages(resources, spec, path) : []),
    ...validateLimits(resources, spec, path.child('containers')),
  ]
}

function validatePodResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path)
  return errors.length > 0 || isPodLevelResource(name) ? errors : [notSupported(path, goStringer(name), SUPPORTED)]
}

/**
 * Checks that the containers together request at most the pod’s request. Before 1.34 a resource that the pod does not
 * request counts as 0.
 */
function validateRequests({ requests }: ResourceRequirements, spec: PodSpec, path: FieldPath, givenOnly: boolean): FieldError[] {
  const sums = runAtOnce(containerAmounts(spec, 'requests'))
  const absent = givenOnly ? {} : Object.fromEntries(Object.keys(sums).map(name => [name, '0']))
  return validateSums(sums, { ...absent, ...requests }, 'requests', path)
}

/** Checks the sum of the containers' limits of huge pages, since 1.34. Huge pages cannot be overcommitted. */
function validateHugePages({ limits = {} }: ResourceRequirements, spec: PodSpec, path: FieldPath): FieldError[] {
  const pages = Object.entries(limits).filter(([name]) => isHugePages(name))
  return pages.length === 0 ? [] : validateSums(runAtOnce(containerAmounts(spec, 'limits')), Object.fromEntries(pages), 'limits', path)
}

/** Compares the containers' `sums` with the pod-level `own`. */
const validateSums = (sums: Amounts, own: Amounts, list: 'requests' | 'limits', path: FieldPath): FieldError[] =>
  Object.entries(sums).flatMap(([name, amount]) => {
    const most = ownMember(own, name)
    if (most === undefined || compareQuantity(amount, most) <= 0) return []
    return [invalid(path.child(list).key(name), most, `must be greater than or equal to aggregate container ${list} of ${amount}`)]
  })

/** Upstream's path names no existing field. */
function validateLimits({ limits }: ResourceRequirements, spec: PodSpec, path: FieldPath): FieldError[] {
  return (spec.containers ?? []).flatMap(({ resources }, i) =>
    Object.entries(resources.limits ?? {}).flatMap(([name, amount]) => {
      const own = ownMember(limits, name)
      if (own === undefined || compareQuantity(amount, own) <= 0) return []
      return [invalid(path.index(i).key(name).child('limits'), amount, `must be less than or equal to pod limits of ${own}`)]
    }),
  )
}
