import type { DownwardAPIVolumeFile, EnvVar, ObjectFieldSelector, ResourceFieldSelector } from '../../../api/core/v1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { validateNonReservedPath } from './paths.ts'

const VOLUME_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']
/** Fields that a variable may refer to, sorted as errors list them. */
const ENVIRONMENT_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
const HOST_IPS = 'status.hostIPs'
/** Whether a pod may refer to the addresses of its node. Before 1.28 the field is unknown; later a gate controls it. */
export type HostIPsUse = 'unknown' | 'forbidden' | 'allowed'

/** Validates the field that a variable refers to. Source: pkg/apis/core/validation in k8s.io/kubernetes. */
export const validateEnvironmentField = (ref: ObjectFieldSelector, use: HostIPsUse, path: FieldPath): FieldError[] => [
  ...validateKnownField(ref, ENVIRONMENT_FIELDS, use, path),
  ...validateHostIPs(ref, use, path),
]

/** Reports `status.hostIPs` as unknown if the release does not have it. */
function validateKnownField(ref: ObjectFieldSelector, fields: readonly string[], use: HostIPsUse, path: FieldPath): FieldError[] {
  if (use !== 'unknown') return validateFieldRef(ref, fields, path)
  if (ref.fieldPath !== HOST_IPS || ref.apiVersion !== 'v1')
    return validateFieldRef(
      ref,
      fields.filter(field => field !== HOST_IPS),
      path,
    )
  return [invalid(path.child('fieldPath'), HOST_IPS, `error converting fieldPath: field label not supported: ${HOST_IPS}`)]
}

const validateHostIPs = ({ fieldPath }: ObjectFieldSelector, use: HostIPsUse, path: FieldPath): FieldError[] =>
  use === 'forbidden' && fieldPath === HOST_IPS ? [forbidden(path, "may not be set when feature gate 'PodHostIPs' is not enabled")] : []

/** Reports whether a variable refers to the addresses of the node. */
export const usesHostIPs = ({ valueFrom }: EnvVar): boolean => valueFrom?.fieldRef?.fieldPath === HOST_IPS

/** All known fields. One of these in the wrong place is `not supported`; any other is `error converting fieldPath`. */
const CONVERTIBLE_FIELDS = new Set([...VOLUME_FIELDS, ...ENVIRONMENT_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase'])

const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const HUGE_PAGES = /^(requests|limits)\.hugepages-/
/** Divisors of sizes, compared as strings. */
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

/** Splits `metadata.labels['key']` into path and subscript. */
function splitSubscript(fieldPath: string): [path: string, subscript: string] | undefined {
  if (!fieldPath.endsWith("']")) return undefined
  const at = fieldPath.indexOf("['")
  return at <= 0 ? undefined : [fieldPath.slice(0, at), fieldPath.slice(at + 2, -2)]
}

/**
 * Validates a field reference: a known field, or one entry of labels or annotations such as `metadata.labels['app']`.
 * `spec.host` is a former name of `spec.nodeName`. Stops at the first error: apiVersion, fieldPath, its version, its
 * subscript, its name. An error in the key of a subscript is reported for `path`, not for `fieldPath`.
 */
function validateFieldRef(ref: ObjectFieldSelector, fields: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { apiVersion = '', fieldPath } = ref
  const at = path.child('fieldPath')
  const unconvertible = (why: string): void => {
    errors.push(invalid(at, fieldPath, `error converting fieldPath: ${why}`))
  }
  const split = splitSubscript(fieldPath)
  if (apiVersion === '') errors.push(required(path.child('apiVersion')))
  else if (fieldPath === '') errors.push(required(at))
  else if (apiVersion !== 'v1') unconvertible(`unsupported pod version: ${apiVersion}`)
  else if (split) {
    const [name, subscript] = split
    if (name === 'metadata.annotations')
      for (const text of isQualifiedName(subscript.toLowerCase())) errors.push(invalid(path, subscript.toLowerCase(), text))
    else if (name === 'metadata.labels') for (const text of isQualifiedName(subscript)) errors.push(invalid(path, subscript, text))
    else unconvertible(`field label does not support subscript: ${fieldPath}`)
  } else {
    const name = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath
    if (!CONVERTIBLE_FIELDS.has(name)) unconvertible(`field label not supported: ${fieldPath}`)
    else if (!fields.includes(name)) errors.push(notSupported(at, name, fields))
  }
  return errors
}

/**
 * Validates a reference to a limit or request of a container. The divisor must fit the resource. In a volume the
 * container must be named.
 */
export function validateResourceFieldRef(ref: ResourceFieldSelector, inVolume: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { resource, divisor } = ref
  if (inVolume && !ref.containerName) errors.push(required(path.child('containerName')))
  else if (resource === '') errors.push(required(path.child('resource')))
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource))
    errors.push(notSupported(path.child('resource'), resource, RESOURCES))
  errors.push(...validateDivisor(resource, divisor, path.child('divisor')))
  return errors
}

/** Checks the divisor. Zero selects the default, 1. The error shows the resource as its value, not the divisor. */
function validateDivisor(resource: string, divisor: string, path: FieldPath): FieldError[] {
  if (divisor === '0' || quantityMilliValue(divisor) === 0n) return []
  const errors: FieldError[] = []
  const sizes = (of: string): void => {
    if (!SIZES.includes(divisor))
      errors.push(invalid(path, resource, `only divisor's values ${SIZES.join(', ')} are supported with the ${of} resource`))
  }
  if (resource === 'limits.cpu' || resource === 'requests.cpu') {
    if (divisor !== '1m' && divisor !== '1')
      errors.push(invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"))
  } else if (resource === 'limits.memory' || resource === 'requests.memory') sizes('memory')
  else if (resource === 'limits.ephemeral-storage' || resource === 'requests.ephemeral-storage') sizes('local ephemeral storage')
  else if (HUGE_PAGES.test(resource)) sizes('hugepages')
  return errors
}

/**
 * Validates a file of a downwardAPI volume, which has exactly one source. `path` is that of the downwardAPI source,
 * since upstream omits the item.
 */
export function validateDownwardFile(file: DownwardAPIVolumeFile, path: FieldPath, hostIPs: HostIPsUse): FieldError[] {
  const errors: FieldError[] = []
  if (!file.path) errors.push(required(path.child('path')))
  errors.push(...validateNonReservedPath(file.path, path.child('path')))
  if (file.fieldRef) {
    errors.push(...validateKnownField(file.fieldRef, VOLUME_FIELDS, hostIPs, path.child('fieldRef')))
    if (file.resourceFieldRef) errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
    errors.push(...validateHostIPs(file.fieldRef, hostIPs, path.child('fieldRef')))
  } else if (file.resourceFieldRef) errors.push(...validateResourceFieldRef(file.resourceFieldRef, true, path.child('resourceFieldRef')))
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
  return errors
}
