import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { report } from '../checks.ts'
import { checkNonReservedPath } from './paths.ts'

const VOLUME_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']
export const ENVIRONMENT_FIELDS = [
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
const CONVERTIBLE_FIELDS = new Set([...VOLUME_FIELDS, ...ENVIRONMENT_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase'])

const RESOURCES = ['limits.cpu', 'limits.ephemeral-storage', 'limits.memory', 'requests.cpu', 'requests.ephemeral-storage', 'requests.memory']
const HUGE_PAGES = /^(requests|limits)\.hugepages-/
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

/** `metadata.labels['key']` → path and subscript. */
function splitSubscript(fieldPath: string): [path: string, subscript: string] | undefined {
  if (!fieldPath.endsWith("']")) return undefined
  const at = fieldPath.indexOf("['")
  return at <= 0 ? undefined : [fieldPath.slice(0, at), fieldPath.slice(at + 2, -2)]
}

export function checkFieldRef(ref: ApiStruct, fields: readonly string[], path: FieldPath, errors: Errors): void {
  const apiVersion: string = ref.apiVersion ?? ''
  const fieldPath: string = ref.fieldPath ?? ''
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
    if (name === 'metadata.annotations') report(isQualifiedName(subscript.toLowerCase()), path, subscript.toLowerCase(), errors)
    else if (name === 'metadata.labels') report(isQualifiedName(subscript), path, subscript, errors)
    else unconvertible(`field label does not support subscript: ${fieldPath}`)
  } else {
    const name = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath
    if (!CONVERTIBLE_FIELDS.has(name)) unconvertible(`field label not supported: ${fieldPath}`)
    else if (!fields.includes(name)) errors.push(notSupported(at, name, fields))
  }
}

export function checkResourceFieldRef(ref: ApiStruct, inVolume: boolean, path: FieldPath, errors: Errors): void {
  const resource: string = ref.resource ?? ''
  if (inVolume && !ref.containerName) errors.push(required(path.child('containerName')))
  else if (resource === '') errors.push(required(path.child('resource')))
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) errors.push(notSupported(path.child('resource'), resource, RESOURCES))
  checkDivisor(resource, String(ref.divisor ?? '0'), path.child('divisor'), errors)
}

function checkDivisor(resource: string, divisor: string, path: FieldPath, errors: Errors): void {
  if (divisor === '0' || quantityMilliValue(divisor) === 0n) return
  const sizes = (of: string): void => {
    if (!SIZES.includes(divisor)) errors.push(invalid(path, resource, `only divisor's values ${SIZES.join(', ')} are supported with the ${of} resource`))
  }
  if (resource === 'limits.cpu' || resource === 'requests.cpu') {
    if (divisor !== '1m' && divisor !== '1') errors.push(invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"))
  } else if (resource === 'limits.memory' || resource === 'requests.memory') sizes('memory')
  else if (resource === 'limits.ephemeral-storage' || resource === 'requests.ephemeral-storage') sizes('local ephemeral storage')
  else if (HUGE_PAGES.test(resource)) sizes('hugepages')
}

export function checkDownwardFile(file: ApiStruct, path: FieldPath, errors: Errors): void {
  if (!file.path) errors.push(required(path.child('path')))
  checkNonReservedPath(file.path ?? '', path.child('path'), errors)
  if (file.fieldRef) {
    checkFieldRef(file.fieldRef, VOLUME_FIELDS, path.child('fieldRef'), errors)
    if (file.resourceFieldRef) errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
  } else if (file.resourceFieldRef) checkResourceFieldRef(file.resourceFieldRef, true, path.child('resourceFieldRef'), errors)
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
}
