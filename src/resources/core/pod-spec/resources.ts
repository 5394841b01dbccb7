import type { ResourceClaim, ResourceRequirements } from '../../../api/core/v1.types.ts'
import { isLongStepDone, runAtOnce, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { ownMember } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notFound, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { canonicalQuantity, compareQuantity, quantityMilliValue, quantityValue } from '../../../meta/quantity.ts'
import { goStringer } from '../../shared/go-syntax.ts'
import { NEGATIVE, validateDnsLabel } from '../checks.ts'

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
/** Reports whether a resource is one of `hugepages-2Mi` and the like. Each page size has its own. */
export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES)
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`)
/** Reports whether a resource is native to Kubernetes: it has no domain, or `kubernetes.io`. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')
/** Reports whether a resource is an extended resource, such as `example.com/gpu`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0
/** Reports whether a request may be less than the limit. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name)
/** Reports whether quantities of a resource must be whole numbers. */
export const isIntegerResource = (name: string): boolean => INTEGER_RESOURCES.has(name) || isExtendedResource(name)

/**
 * Validates the name of a resource in quotas, limit ranges and nodes: a qualified name, or a standard resource without
 * a prefix. Messages print names without quotes.
 */
export function validateResourceName(name: string, path: FieldPath, print: (name: string) => unknown = goStringer): FieldError[] {
  const errors: FieldError[] = []
  const texts = isQualifiedName(name)
  if (texts.length > 0) for (const text of texts) errors.push(invalid(path, print(name), text))
  else if (!name.includes('/') && !STANDARD_RESOURCES.has(name) && !isQuotaHugePages(name)) {
    errors.push(invalid(path, goStringer(name), 'must be a standard resource type or fully qualified'))
  }
  return errors
}

/** Validates the name of a container resource. `print` formats a name that is not a qualified name. */
export function validateContainerResourceName(name: string, path: FieldPath, print?: (name: string) => unknown): FieldError[] {
  const errors = validateResourceName(name, path, print)
  if (name.split('/').length === 1) {
    if (!CONTAINER_RESOURCES.has(name) && !isHugePages(name))
      errors.push(invalid(path, goStringer(name), 'must be a standard resource for containers'))
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    errors.push(invalid(path, goStringer(name), "doesn't follow extended resource name standard"))
  return errors
}

/** Checks that a quantity is not negative, and whole if the resource has no fractions. */
export function validateResourceQuantity(name: string, quantity: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (compareQuantity(quantity, 0) < 0) errors.push(invalid(path, quantity, NEGATIVE))
  if (isIntegerResource(name) && quantityMilliValue(quantity) % 1000n !== 0n) errors.push(invalid(path, quantity, 'must be an integer'))
  return errors
}

/**
 * Reports whether a quantity of huge pages is a multiple of the page size. Returns false if the size in the name is not
 * a quantity.
 */
export function isDivisibleHugePages(name: string, quantity: string): boolean {
  if (!isHugePages(name)) return true
  try {
    const size = quantityValue(canonicalQuantity(name.slice(HUGE_PAGES.length)))
    return size > 0n && quantityValue(quantity) % size === 0n
  } catch {
    return false
  }
}

/** Rules that depend on the release and on the old object. */
export interface ResourceOptions {
  readonly release: Release
  readonly allowIndivisibleHugePages: boolean
}

/** `resourceErrors` in one call. */
export const validateResources = (...given: Parameters<typeof resourceErrors>): FieldError[] => runAtOnce(resourceErrors(...given))

/**
 * Validates the ResourceRequirements of a container, in steps of some resources; `claimNames` are the claims of the
 * pod. Used for `overhead` as well, as limits, and for pod-level resources, with `validateName`. A request is at most
 * the limit, and equals it for huge pages and extended resources, which need a limit. Huge pages need cpu or memory
 * beside them. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* resourceErrors(
  resources: ResourceRequirements,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  options: ResourceOptions,
  validateName = validateContainerResourceName,
): Steps<FieldError[]> {
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
  for (const name of yield* memberNames(limits)) {
    if (isLongStepDone()) yield
    const quantity = limits[name] ?? ''
    const at = path.child('limits').key(name)
    checkEntry(name, quantity, at)
    checkHugePages(name, quantity, at)
  }
  for (const name of yield* memberNames(requests)) {
    if (isLongStepDone()) yield
    const quantity = requests[name] ?? ''
    const at = path.child('requests').key(name)
    checkEntry(name, quantity, at)
    const limit = ownMember(limits, name)
    if (limit !== undefined) {
      const order = compareQuantity(quantity, limit)
      const list = path.child('requests')
      if (order !== 0 && !isOvercommitAllowed(name))
        errors.push(invalid(list, quantity, `must be equal to ${name} limit${showLimit(limit)}`))
      else if (order > 0) errors.push(invalid(list, quantity, `must be less than or equal to ${name} limit${showLimit(limit)}`))
    } else if (!isOvercommitAllowed(name)) errors.push(required(path.child('limits'), 'Limit must be set for non overcommitable resources'))
    checkHugePages(name, quantity, at)
  }
  if (hugePages && !computes) errors.push(forbidden(path, 'HugePages require cpu or memory'))
  if (resources.claims) errors.push(...validateClaims(resources.claims, claimNames, path.child('claims')))
  return errors
}

/**
 * Validates claims. A claim is listed once as a whole, or once for each of its requests. A whole claim after requests
 * is a duplicate of each of them. An empty name is reported as required, an unknown name as not found.
 */
function validateClaims(claims: readonly ResourceClaim[], claimNames: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  /** Number of single requests listed so far, by claim. */
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
