import { deepEqual, ownMember } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { compareQuantity, quantityValue } from '../../../meta/quantity.ts'
import { goChanges } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { isNativeResource } from '../pod-spec/resources.ts'
import { CLASS_ANNOTATION } from '../storage-class.ts'
import type { ClaimSpecOptions } from '../volume/claim-template.ts'
import { checkClaimSpec } from '../volume/claim-template.ts'

const specPath = fieldPath('spec')

export function validateClaim(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors: Errors = []
  checkClaimSpec(next.spec ?? {}, specPath, errors, optionsOf(old))
  if (!old) return errors
  // An update is checked as a new claim twice, as upstream does: the causes say so.
  errors.push(...errors)
  checkUpdate(next, old, errors)
  return errors
}

/** What an old claim already has stays allowed. */
function optionsOf(old: KubeObject | undefined): ClaimSpecOptions {
  const spec: ApiStruct = old?.spec
  if (spec === undefined) return {}
  return {
    allowInvalidSelector: validateLabelSelector(spec.selector, specPath).length > 0,
    allowInvalidApiGroup: typeof spec.dataSource?.apiGroup === 'string' || typeof spec.dataSourceRef?.apiGroup === 'string',
  }
}

function checkUpdate(next: KubeObject, old: KubeObject, errors: Errors): void {
  const before: ApiStruct = { ...old.spec }
  const after: ApiStruct = { ...next.spec }
  // A controller binds a claim once.
  if (!before.volumeName) before.volumeName = after.volumeName
  const oldClass = ownMember(old.metadata.annotations, CLASS_ANNOTATION)
  const newClass = ownMember(next.metadata.annotations, CLASS_ANNOTATION)
  const classIsNew = before.storageClassName === undefined && after.storageClassName !== undefined
  if (classIsNew && oldClass !== undefined && after.storageClassName === oldClass && (newClass === undefined || newClass === oldClass)) {
    // From the annotation to the field.
    delete after.storageClassName
  } else {
    if (oldClass !== newClass) errors.push(invalid(fieldPath('metadata', 'annotations', CLASS_ANNOTATION), newClass ?? '', 'field is immutable'))
    if (classIsNew && (oldClass === undefined || oldClass === after.storageClassName)) after.storageClassName = before.storageClassName
  }
  const bound = next.status?.phase === 'Bound'
  const oldSize: string | undefined = before.resources?.requests?.storage
  const newSize: string | undefined = after.resources?.requests?.storage
  if (bound && after.resources?.requests) after.resources = { ...after.resources, requests: { ...after.resources.requests, storage: oldSize } }
  if (bound && after.volumeAttributesClassName !== undefined) after.volumeAttributesClassName = before.volumeAttributesClassName
  if (!sameSpec(after, before)) {
    const what = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(forbidden(specPath, `${what}\n${goChanges('core.PersistentVolumeClaimSpec', before, after)}`))
  }
  if (compareQuantity(newSize, oldSize) < 0 && compareQuantity(newSize, old.status?.capacity?.storage) <= 0) {
    errors.push(forbidden(specPath.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity'))
  }
  errors.push(...validateImmutableField(next.spec?.volumeMode, old.spec?.volumeMode, fieldPath('volumeMode')))
  checkAttributesClass(next.spec?.volumeAttributesClassName, old.spec?.volumeAttributesClassName, errors)
}

function checkAttributesClass(next: string | undefined, old: string | undefined, errors: Errors): void {
  if (next === old) return
  const path = specPath.child('volumeAttributesClassName')
  errors.push(forbidden(path, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'))
  if (old === undefined) return
  if (next === undefined) errors.push(forbidden(path, 'update from non-nil value to nil is forbidden'))
  else if (next === '') errors.push(forbidden(path, 'update from non-nil value to an empty string is forbidden'))
}

/** Quantities are the same when they are equal, however they are written. */
function sameSpec(a: ApiStruct, b: ApiStruct): boolean {
  const { resources: x = {}, ...rest } = a
  const { resources: y = {}, ...others } = b
  return deepEqual(rest, others) && sameAmounts(x.requests, y.requests) && sameAmounts(x.limits, y.limits)
}

function sameAmounts(a: Record<string, string> = {}, b: Record<string, string> = {}): boolean {
  const given = (list: Record<string, string>): string[] => Object.keys(list).filter(name => list[name] !== undefined)
  return given(a).length === given(b).length && given(a).every(name => ownMember(b, name) !== undefined && compareQuantity(a[name], b[name]) === 0)
}

const RESIZE_STATES = ['ControllerResizeInProgress', 'ControllerResizeInfeasible', 'NodeResizeInProgress', 'NodeResizeInfeasible', 'NodeResizePending'].sort()

export function validateClaimStatus(next: KubeObject): FieldError[] {
  const errors: Errors = []
  if (!next.spec?.accessModes?.length) errors.push(required(fieldPath('Spec', 'accessModes')))
  const capacity: Record<string, string> = next.status?.capacity ?? {}
  for (const name in capacity) checkAmount(capacity[name] as string, fieldPath('status', 'capacity').key(name), errors)
  const statuses: Record<string, string> = next.status?.allocatedResourceStatuses ?? {}
  const statusesPath = fieldPath('status', 'allocatedResourceStatus')
  for (const name in statuses) {
    checkResourceKey(name, statusesPath, errors)
    if (!RESIZE_STATES.includes(statuses[name] as string)) errors.push(notSupported(statusesPath, name, RESIZE_STATES))
  }
  const allocated: Record<string, string> = next.status?.allocatedResources ?? {}
  const allocatedPath = fieldPath('status', 'allocatedResources')
  for (const name in allocated) {
    if (checkResourceKey(name, allocatedPath, errors)) checkAmount(allocated[name] as string, allocatedPath.key(name), errors)
  }
  return errors
}

function checkAmount(quantity: string, path: FieldPath, errors: Errors): void {
  const value = quantityValue(quantity)
  if (value < 0n) errors.push(invalid(path, value, 'must be a valid resource quantity'))
}

/** Of Kubernetes' own resources only storage. */
function checkResourceKey(name: string, path: FieldPath, errors: Errors): boolean {
  const messages = isQualifiedName(name)
  for (const message of messages) errors.push(invalid(path, name, message))
  if (messages.length > 0) return false
  if (!isNativeResource(name) || name === 'storage') return true
  errors.push(notSupported(path, name, ['storage']))
  return false
}
