import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { copyGivenEmpty } from '../../../meta/empty-members.ts'
import { deepEqual, deepEqualInSteps, ownMember } from '../../../meta/equal.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, immutableError, invalid, notSupported, required, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { compareQuantity, quantityValue } from '../../../meta/quantity.ts'
import { goChanges } from '../../shared/go-values.ts'
import { selectorRules, validateSelectorsInSteps } from '../../shared/selector-rules.ts'
import { keepMembers } from '../../shared/strategy-parts.ts'
import { isNativeResource } from '../pod-spec/resources.ts'
import { CLASS_ANNOTATION } from '../storage-class.ts'
import type { ClaimSpecOptions } from '../volume/claim-template.ts'
import { validateClaimSpec } from '../volume/claim-template.ts'

const SPEC_PATH = fieldPath('spec')

/**
 * Validates a claim. The spec is immutable except for the volume (once), a storage class that is filled in, the size of
 * a bound claim, and its attributes class. Errors come in this order: those of a new claim (twice on update), immutable
 * members, size, mode, attributes class. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export const validatePersistentVolumeClaim = (
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim | undefined,
  context: HookContext,
): FieldError[] | Steps<FieldError[]> =>
  hasFewValues(next.spec.selector) && hasFewValues(old?.spec.selector)
    ? validateClaim(next, old, context)
    : validateLargeClaim(next, old, context)

/** Validates and compares large selectors in steps first. */
function* validateLargeClaim(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim | undefined,
  context: HookContext,
): Steps<FieldError[]> {
  const { selector } = next.spec
  const before = old?.spec.selector
  yield* validateSelectorsInSteps(selector, SPEC_PATH.child('selector'), before, context.features)
  return validateClaim(next, old, context, yield* deepEqualInSteps(selector, before))
}

function validateClaim(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim | undefined,
  { features }: HookContext,
  hasSameSelector = false,
): FieldError[] {
  const errors = validateClaimSpec(next.spec, SPEC_PATH, claimOptions(features, old))
  // Upstream validates an updated object twice, and reports every error twice.
  return old ? [...errors, ...errors, ...validateClaimUpdate(next, old, features, hasSameSelector)] : errors
}

/**
 * Returns the rules that depend on gates and on the old claim; `old` is absent on create. An invalid selector may stay
 * if the old selector is invalid. An invalid API group may stay if the old source has any API group.
 */
export function claimOptions(features: Features, old?: PersistentVolumeClaim): ClaimSpecOptions {
  const hasClasses = features.enabled('VolumeAttributesClass') || old?.spec.volumeAttributesClassName !== undefined
  const { selector, dataSource, dataSourceRef } = old?.spec ?? {}
  return {
    release: features.release,
    hasClasses,
    selector: selectorRules(features, selector),
    allowInvalidApiGroup:
      !isSince(features.release, '1.29') || typeof dataSource?.apiGroup === 'string' || typeof dataSourceRef?.apiGroup === 'string',
  }
}

/**
 * A size may grow; `validateShrinking` decides whether it may shrink. The path of volumeMode lacks `spec`, as upstream.
 */
function validateClaimUpdate(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  features: Features,
  hasSameSelector: boolean,
): FieldError[] {
  const oldSize = old.spec.resources.requests?.storage
  const newSize = next.spec.resources.requests?.storage
  const sizePath = SPEC_PATH.child('resources', 'requests', 'storage')
  return [
    ...validateSpecKept(next, old, features, hasSameSelector),
    ...(compareQuantity(newSize, oldSize) < 0 ? validateShrinking(newSize, old, features, sizePath) : []),
    ...validateImmutableField(next.spec.volumeMode, old.spec.volumeMode, fieldPath('volumeMode')),
    ...validateAttributesClass(next.spec.volumeAttributesClassName, old, features),
  ]
}

/**
 * Checks a smaller size. A claim may shrink if the expansion of its volume failed: the gate is on, or the status shows
 * an expansion. The new size must exceed status.capacity, so that only growth that has not happened is taken back.
 */
function validateShrinking(size: string | undefined, { status }: PersistentVolumeClaim, features: Features, path: FieldPath): FieldError[] {
  const isRecovery =
    features.enabled('RecoverVolumeExpansionFailure') ||
    status.allocatedResources !== undefined ||
    status.allocatedResourceStatuses !== undefined
  if (!isRecovery) return [forbidden(path, 'field can not be less than previous value')]
  return compareQuantity(size, status.capacity?.storage) <= 0 ? [forbidden(path, 'field can not be less than status.capacity')] : []
}

/**
 * Restores the fields that may change, then compares the specs, so that a single error shows everything that differs.
 * `hasSameSelector`: whether the selectors are known to be equal.
 */
function validateSpecKept(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  features: Features,
  hasSameSelector: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  const before = { ...old.spec }
  const after = copyGivenEmpty(next.spec, { ...next.spec })
  if (hasSameSelector) keepMembers(after, before, 'selector')
  // A claim is bound once, by a controller.
  if (!before.volumeName) keepMembers(before, after, 'volumeName')
  const oldClass = ownMember(old.metadata.annotations, CLASS_ANNOTATION)
  const newClass = ownMember(next.metadata.annotations, CLASS_ANNOTATION)
  const classIsNew = before.storageClassName === undefined && after.storageClassName !== undefined
  if (classIsNew && oldClass !== undefined && after.storageClassName === oldClass && (newClass === undefined || newClass === oldClass)) {
    // The class may move from the annotation to the field.
    delete after.storageClassName
  } else {
    // The annotation never changes. A class may be filled in later unless the annotation names a different one.
    if (oldClass !== newClass) errors.push(immutableError(fieldPath('metadata', 'annotations', CLASS_ANNOTATION), newClass ?? ''))
    const mayFillIn = features.enabled('RetroactiveDefaultStorageClass') && (oldClass === undefined || oldClass === after.storageClassName)
    if (classIsNew && mayFillIn) delete after.storageClassName
  }
  // The phase is that of the stored object: an update of the spec keeps the old status (`prepare`).
  if (next.status.phase === 'Bound') {
    const { requests } = after.resources
    if (requests)
      after.resources = copyGivenEmpty(after.resources, {
        ...after.resources,
        requests: withStorage(requests, before.resources.requests?.storage),
      })
  }
  if (mayChangeClass(next, features.release)) keepMembers(after, before, 'volumeAttributesClassName')
  if (!sameSpec(after, before)) {
    const what = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(forbidden(SPEC_PATH, `${what}\n${goChanges(features.release, 'core.PersistentVolumeClaimSpec', before, after)}`))
  }
  return errors
}

/**
 * Reports whether the attributes class may differ. Up to 1.30 it may for any claim, since 1.31 only for bound ones.
 * Before 1.34 removing it is reported here, in addition to the error of validateAttributesClass.
 */
function mayChangeClass({ spec, status }: PersistentVolumeClaim, release: Release): boolean {
  if (!isSince(release, '1.31')) return true
  return status.phase === 'Bound' && (spec.volumeAttributesClassName !== undefined || isSince(release, '1.34'))
}

function withStorage({ storage: _, ...requests }: Readonly<Record<string, string>>, storage: string | undefined): Record<string, string> {
  return storage === undefined ? requests : { ...requests, storage }
}

/**
 * Checks the attributes class. It may be set and replaced, but not removed or emptied; since 1.34 this holds only once
 * a class is applied. If the gate is off, it may not change.
 */
function validateAttributesClass(next: string | undefined, claim: PersistentVolumeClaim, features: Features): FieldError[] {
  const old = claim.spec.volumeAttributesClassName
  if (next === old) return []
  const path = SPEC_PATH.child('volumeAttributesClassName')
  const errors = features.enabled('VolumeAttributesClass')
    ? []
    : [forbidden(path, 'update is forbidden when the VolumeAttributesClass feature gate is disabled')]
  const isKept = isSince(features.release, '1.34') ? claim.status.currentVolumeAttributesClassName !== undefined : old !== undefined
  if (!isKept) return errors
  if (next === undefined)
    errors.push(
      forbidden(
        path,
        words(
          'update from non-nil value to nil is forbidden',
          'update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
        ),
      ),
    )
  else if (next === '')
    errors.push(
      forbidden(
        path,
        words(
          'update from non-nil value to an empty string is forbidden',
          'update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil',
        ),
      ),
    )
  return errors
}

/** Quantities are compared by value, not by notation. */
function sameSpec(a: PersistentVolumeClaimSpec, b: PersistentVolumeClaimSpec): boolean {
  const { resources: x, ...rest } = a
  const { resources: y, ...others } = b
  return deepEqual(rest, others) && sameAmounts(x.requests, y.requests) && sameAmounts(x.limits, y.limits)
}

type Amounts = Readonly<Record<string, string>>

function sameAmounts(a: Amounts = {}, b: Amounts = {}): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(name => ownMember(b, name) !== undefined && compareQuantity(a[name], b[name]) === 0)
  )
}

/** States of a resize, sorted as error messages list them. Before 1.31 the failed states had other names. */
const resizeStates = (release: Release): readonly string[] => (isSince(release, '1.31') ? RESIZE_STATES : EARLIER_RESIZE_STATES)
const EARLIER_RESIZE_STATES = [
  'ControllerResizeFailed',
  'ControllerResizeInProgress',
  'NodeResizeFailed',
  'NodeResizeInProgress',
  'NodeResizePending',
]
const RESIZE_STATES: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort()

/**
 * Validates the status. Allocated resources and their states must be those of known resources. Amounts may be zero.
 * Upstream’s paths are kept: `Spec.accessModes`, and `allocatedResourceStatus` in the singular before 1.34. The error
 * for an unknown state shows the name of the resource as its value. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
export function validateClaimStatus({ spec, status }: PersistentVolumeClaim, { release }: Features): FieldError[] {
  const errors = spec.accessModes?.length ? [] : [required(fieldPath('Spec', 'accessModes'))]
  for (const [name, amount] of Object.entries(status.capacity ?? {}))
    errors.push(...validateAmount(amount, fieldPath('status', 'capacity').key(name)))
  const statusesPath = fieldPath('status', isSince(release, '1.34') ? 'allocatedResourceStatuses' : 'allocatedResourceStatus')
  const states = resizeStates(release)
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...validateResourceKey(name, statusesPath))
    if (!states.includes(state)) errors.push(notSupported(statusesPath, name, states))
  }
  const allocatedPath = fieldPath('status', 'allocatedResources')
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    const wrong = validateResourceKey(name, allocatedPath)
    errors.push(...(wrong.length > 0 ? wrong : validateAmount(amount, allocatedPath.key(name))))
  }
  return errors
}

function validateAmount(quantity: string, path: FieldPath): FieldError[] {
  const value = quantityValue(quantity)
  return value < 0n ? [invalid(path, value, 'must be a valid resource quantity')] : []
}

/** `storage` is the only native resource that is allowed here. */
function validateResourceKey(name: string, path: FieldPath): FieldError[] {
  const messages = isQualifiedName(name)
  if (messages.length > 0) return messages.map(message => invalid(path, name, message))
  return !isNativeResource(name) || name === 'storage' ? [] : [notSupported(path, name, ['storage'])]
}
