import type { FieldError } from '../../meta/field-error.ts'
import { required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { validateConfiguration } from './configuration.ts'
import { validateList, validateSet } from './lists.ts'
import { validateFullyQualifiedName } from './names.ts'
import { validateRequest } from './request.ts'
import { requestNames, validateRequestReference } from './request-names.ts'
import type { DeviceClaimConfiguration, DeviceConstraint, ResourceClaimSpec } from './v1beta2.types.ts'

export const MAX_REQUESTS = 32
export const MAX_CONFIGURATIONS = 32
const MAX_CONSTRAINTS = 32

/** Requests that something is about; all of them where the list is empty. */
export const validateRequestReferences = (names: readonly string[] | undefined, known: ReadonlySet<string>, path: FieldPath): FieldError[] =>
  validateSet(
    names,
    MAX_REQUESTS,
    (name, at) => validateRequestReference(name, known, at),
    name => name,
    path,
  )

function validateConstraint({ requests, matchAttribute }: DeviceConstraint, known: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const at = path.child('matchAttribute')
  return [
    ...validateRequestReferences(requests, known, path.child('requests')),
    ...(matchAttribute === undefined ? [required(at)] : validateFullyQualifiedName(matchAttribute, at)),
  ]
}

/** ResourceClaimSpec. `stored`: it is the spec of an update, which cannot change it. */
export function validateClaimSpec({ devices }: ResourceClaimSpec, stored: boolean, path: FieldPath): FieldError[] {
  const at = path.child('devices')
  const known = requestNames(devices)
  const check = (config: DeviceClaimConfiguration, place: FieldPath): FieldError[] => [
    ...validateRequestReferences(config.requests, known, place.child('requests')),
    ...validateConfiguration(config, stored, place),
  ]
  return [
    ...validateSet(devices.requests, MAX_REQUESTS, validateRequest, request => request.name, at.child('requests'), 'name'),
    ...validateList(devices.constraints, MAX_CONSTRAINTS, (one, place) => validateConstraint(one, known, place), at.child('constraints')),
    ...validateList(devices.config, MAX_CONFIGURATIONS, check, at.child('config')),
  ]
}
