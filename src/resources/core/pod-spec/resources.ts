import { isSince, type Release } from '../../../lifecycle/release.ts'
import { ownMember } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notFound, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { canonicalQuantity, compareQuantity, quantityMilliValue, quantityValue } from '../../../meta/quantity.ts'
import { goStringer } from '../../shared/go-syntax.ts'
import { NEGATIVE, validateDnsLabel } from '../checks.ts'
import type { ResourceClaim, ResourceRequirements } from '../v1.types.ts'

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage'])
const QUOTA_COUNTS = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const INTEGER_RESOURCES = new Set(QUOTA_COUNTS)
const STANDARD_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  ...QUOTA_COUNTS,
  ...[...CONTAINER_RESOURCES].flatMap(name => [`requests.${name}`, `limits.${name}`]),
  'storage',
  'requests.storage',
])

const HUGE_PAGES = 'hugepages-'
/** `hugepages-2Mi`: a resource for each size of page. */
export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES)
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`)
/** Kubernetes’ own resources have no domain, or its domain. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')
/** Of a resource that is not Kubernetes' own, such as `example.com/gpu`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0
/** Whether a request may be less than the limit. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name)
/** Resources of which there are no fractions. */
export const isIntegerResource = (name: string): boolean => INTEGER_RESOURCES.has(name) || isExtendedResource(name)

/** The name of a resource of anything, which messages print without quotes: quotas, limit ranges, nodes. Prefixed names, and the known ones without a prefix. */
export function validateResourceName(name: string, path: FieldPath, print: (name: string) => unknown = goStringer): FieldError[] {
  const errors: FieldError[] = []
  const texts = isQualifiedName(name)
  if (texts.length > 0) for (const text of texts) errors.push(invalid(path, print(name), text))
  else if (!name.includes('/') && !STANDARD_RESOURCES.has(name) && !isQuotaHugePages(name)) {
    errors.push(invalid(path, goStringer(name), 'must be a standard resource type or fully qualified'))
  }
  return errors
}

/** The name of a resource of a container. `print`: how a name that is not even qualified is told. */
export function validateContainerResourceName(name: string, path: FieldPath, print?: (name: string) => unknown): FieldError[] {
  const errors = validateResourceName(name, path, print)
  if (name.split('/').length === 1) {
    if (!CONTAINER_RESOURCES.has(name) && !isHugePages(name)) errors.push(invalid(path, goStringer(name), 'must be a standard resource for containers'))
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    errors.push(invalid(path, goStringer(name), "doesn't follow extended resource name standard"))
  return errors
}

/** Not negative, and whole where the resource has no fractions. */
export function validateResourceQuantity(name: string, quantity: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (compareQuantity(quantity, 0) < 0) errors.push(invalid(path, quantity, NEGATIVE))
  if (isIntegerResource(name) && quantityMilliValue(quantity) % 1000n !== 0n) errors.push(invalid(path, quantity, 'must be an integer'))
  return errors
}

/** Whole pages only. A size that is no quantity divides nothing. */
export function isDivisibleHugePages(name: string, quantity: string): boolean {
  if (!isHugePages(name)) return true
  try {
    const size = quantityValue(canonicalQuantity(name.slice(HUGE_PAGES.length)))
    return size > 0n && quantityValue(quantity) % size === 0n
  } catch {
    return false
  }
}

/** What the resources may be for, and what an old object may keep. */
export interface ResourceOptions {
  readonly release: Release
  readonly allowIndivisibleHugePages: boolean
}

/**
 * ResourceRequirements of a container; `claimNames`: those of the pod. Also of `overhead`, as limits, and of a pod as a whole, with `validateName`.
 * A request is at most the limit, and equals it for huge pages and extended resources, which need a limit. Huge pages need cpu or memory beside them.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateResources(
  resources: ResourceRequirements,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  options: ResourceOptions,
  validateName = validateContainerResourceName,
): FieldError[] {
  const errors: FieldError[] = []
  const { limits = {}, requests = {} } = resources
  const showLimit = (limit: string): string => (isSince(options.release, '1.27') ? ` of ${limit}` : '')
  let computes = false
  let hugePages = false
  const checkEntry = (name: string, quantity: string, at: FieldPath): void => {
    errors.push(...validateName(name, at))
    errors.push(...validateResourceQuantity(name, quantity, at))
    if (name === 'cpu' || name === 'memory') computes = true
  }
  const checkHugePages = (name: string, quantity: string, at: FieldPath): void => {
    if (!isHugePages(name)) return
    hugePages = true
    if (!options.allowIndivisibleHugePages && !isDivisibleHugePages(name, quantity)) {
      errors.push(invalid(at, quantity, `${quantity} is not positive integer multiple of ${name}`))
    }
  }
  for (const [name, quantity] of Object.entries(limits)) {
    const at = path.child('limits').key(name)
    checkEntry(name, quantity, at)
    checkHugePages(name, quantity, at)
  }
  for (const [name, quantity] of Object.entries(requests)) {
    const at = path.child('requests').key(name)
    checkEntry(name, quantity, at)
    const limit = ownMember(limits, name)
    if (limit !== undefined) {
      const order = compareQuantity(quantity, limit)
      const list = path.child('requests')
      if (order !== 0 && !isOvercommitAllowed(name)) errors.push(invalid(list, quantity, `must be equal to ${name} limit${showLimit(limit)}`))
      else if (order > 0) errors.push(invalid(list, quantity, `must be less than or equal to ${name} limit${showLimit(limit)}`))
    } else if (!isOvercommitAllowed(name)) errors.push(required(path.child('limits'), 'Limit must be set for non overcommitable resources'))
    checkHugePages(name, quantity, at)
  }
  if (hugePages && !computes) errors.push(forbidden(path, 'HugePages require cpu or memory'))
  if (resources.claims) errors.push(...validateClaims(resources.claims, claimNames, path.child('claims')))
  return errors
}

/**
 * A claim is named once as a whole, or once for each of its requests. A whole claim after requests is a duplicate for each of them.
 * An empty name is reported as required, a name that is no claim of the pod as not found.
 */
function validateClaims(claims: readonly ResourceClaim[], claimNames: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  /** Claims of which single requests were named before, and of how many. */
  const requestsOf = new Map<string, number>()
  let known: string | undefined
  claims.forEach((claim, i) => {
    const at = path.index(i)
    const { name } = claim
    if (name === '') {
      errors.push(required(at))
      return
    }
    if (seen.has(name)) errors.push(duplicate(at, name))
    else {
      const key = claim.request ? `${name}/${claim.request}` : name
      if (claim.request) errors.push(...validateDnsLabel(claim.request, at.child('request')))
      if (seen.has(key)) errors.push(duplicate(at, key))
      else if (claim.request) requestsOf.set(name, (requestsOf.get(name) ?? 0) + 1)
      else for (let n = requestsOf.get(name) ?? 0; n > 0; n--) errors.push(duplicate(at, name))
      seen.add(key)
    }
    if (claimNames.has(name)) return
    known ??= claimNames.size === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`
    errors.push(notFound(at, verbatim(JSON.stringify(name)), `must be one of the names in pod.spec.resourceClaims${known}`))
  })
  return errors
}
