import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { goJsonText } from '../lib/go-json-text.ts'
import { isStepDone, runAtOnce, type Steps, sortInSteps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import { memberNames } from '../lib/wide-objects.ts'
import { deepEqual } from './equal.ts'
import type { Detail, FieldError } from './field-error.ts'
import {
  forbidden,
  immutableError,
  invalid,
  notSupported,
  replacedSince,
  required,
  tooLongError,
  type Verbatim,
  verbatim,
  verbatimOf,
  words,
} from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { isQualifiedName, isValidLabelValue, longerThan, nameIsDnsLabel, type ValidateName } from './names.ts'
import { printGoTime } from './time.ts'

/** Limit on the keys and values of all annotations together, in bytes. */
export const ANNOTATIONS_LIMIT = 256 * 1024

/** Rules of metadata that depend on the kind. */
export interface ObjectMetaRules {
  /** Whether finalizers must be standard ones or have a domain, as for built-in kinds. Default: true. */
  readonly qualifiedFinalizers?: boolean
}

/** Validates labels. Keys are qualified names, values are label values. */
export const validateLabels = (labels: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] =>
  runAtOnce(labelErrors(labels ?? {}, path))

/** `validateLabels` in steps, for maps that may have many. */
export function* labelErrors(labels: Readonly<Record<string, string>>, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const key of yield* memberNames(labels)) {
    if (isStepDone()) yield
    const value = labels[key] ?? ''
    for (const message of isQualifiedName(key)) errors.push(invalid(path, key, message))
    for (const message of isValidLabelValue(value)) errors.push(invalid(path, value, message))
  }
  return errors
}

/** Validates annotations. Keys are qualified names in either case; values are free, but their total size is limited. */
export const validateAnnotations = (annotations: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] =>
  runAtOnce(annotationErrors(annotations ?? {}, path))

/**
 * `validateAnnotations` in steps. Keys may have capital letters. The limit is on the bytes of all keys and values,
 * which are counted only if there are enough characters.
 */
export function* annotationErrors(annotations: Readonly<Record<string, string>>, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  let characters = 0
  const keys = yield* memberNames(annotations)
  for (const key of keys) {
    if (isStepDone()) yield
    const value = annotations[key] ?? ''
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, message))
    characters += key.length + value.length
  }
  // A UTF-16 code unit takes one to three bytes.
  if (characters > ANNOTATIONS_LIMIT) errors.push(tooLongError(path, ANNOTATIONS_LIMIT))
  else if (characters * 3 > ANNOTATIONS_LIMIT) {
    let bytes = 0
    for (const key of keys) {
      if (isStepDone()) yield
      bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '')
    }
    if (bytes > ANNOTATIONS_LIMIT) errors.push(tooLongError(path, ANNOTATIONS_LIMIT))
  }
  return errors
}

/** Returns an error if the two differ. */
export const validateImmutableField = (next: unknown, old: unknown, path: FieldPath): FieldError[] =>
  deepEqual(next, old) ? [] : [immutableError(path, next)]

/** Checks that a number, if set, is not negative. */
export const validateNonNegative = (value: number | bigint | undefined, path: FieldPath): FieldError[] =>
  (value ?? 0) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : []

const printOwner = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string => {
  // Pointers print as addresses, which are arbitrary, and null ones as nil.
  const flag = (value: boolean | undefined): string => (value === undefined ? '(*bool)(nil)' : '(*bool)(0xc000000000)')
  const text = [apiVersion, kind, name, uid].map(part => JSON.stringify(part ?? ''))
  return `v1.OwnerReference{APIVersion:${text[0]}, Kind:${text[1]}, Name:${text[2]}, UID:${text[3]}, Controller:${flag(controller)}, BlockOwnerDeletion:${flag(blockOwnerDeletion)}}`
}

const printOwners = (owners: readonly OwnerReference[]): Verbatim =>
  verbatimOf(
    '[]v1.OwnerReference',
    owners,
    () => `[]v1.OwnerReference{${owners.map(printOwner).join(', ')}}`,
    () => goJsonText(owners.map(ownerJson)),
  )

/** Returns the reference as its JSON shows it. */
const ownerJson = ({ apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion }: OwnerReference): unknown => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: controller ?? undefined,
  blockOwnerDeletion: blockOwnerDeletion ?? undefined,
})

/** Returns group, version and kind of an owner. Group and version are empty if apiVersion has two slashes. */
function ownerVersion({ apiVersion = '', kind = '' }: OwnerReference): { group: string; version: string; kind: string } {
  const [first = '', second, more] = apiVersion.split('/')
  if (more !== undefined) return { group: '', version: '', kind }
  return second === undefined ? { group: '', version: first, kind } : { group: first, version: second, kind }
}

/**
 * Checks the members that name an owner.
 * @param path path of all owners, to which errors refer before 1.37.
 * @param at path of this one.
 */
function identityErrors(owner: OwnerReference, path: FieldPath, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { group, version, kind } = ownerVersion(owner)
  const missing = (member: string, detail: Detail): FieldError =>
    replacedSince('1.37', invalid(path.child(member), '', detail), () => required(at.child(member), 'must not be empty'))
  if (!owner.apiVersion) errors.push(missing('apiVersion', 'version must not be empty'))
  else if (version === '') {
    const text = owner.apiVersion
    errors.push(
      replacedSince('1.37', invalid(path.child('apiVersion'), text, 'version must not be empty'), () =>
        invalid(at.child('apiVersion'), text, 'must be <group>/<version> or <version>'),
      ),
    )
  }
  if (kind === '') errors.push(missing('kind', words('kind must not be empty', 'must not be empty')))
  if (!owner.name) errors.push(missing('name', words('name must not be empty', 'must not be empty')))
  if (!owner.uid) errors.push(missing('uid', words('uid must not be empty', 'must not be empty')))
  if (group === '' && version === 'v1' && kind === 'Event') {
    const value = verbatim(printOwner(owner), () => goJsonText(ownerJson(owner)))
    const banned = (place: FieldPath): FieldError => invalid(place, value, '/v1, Kind=Event is disallowed from being an owner')
    errors.push(replacedSince('1.37', banned(path), () => banned(at)))
  }
  return errors
}

function* ownerErrors(owners: readonly OwnerReference[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  let controller = ''
  let all: Verbatim | undefined
  for (const [i, owner] of owners.entries()) {
    if (isStepDone()) yield
    for (const error of identityErrors(owner, path, path.index(i))) errors.push(error)
    if (owner.controller !== true) continue
    const current = `${owner.kind ?? ''}/${owner.name ?? ''}`
    if (controller === '') {
      controller = current
    } else {
      all ??= printOwners(owners)
      errors.push(
        invalid(
          path,
          all,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`,
        ),
      )
    }
  }
  return errors
}

function* finalizerErrors(finalizers: readonly string[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const finalizer of finalizers) {
    if (isStepDone()) yield
    for (const message of isQualifiedName(finalizer)) errors.push(invalid(path, finalizer, message))
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
  }
  return errors
}

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

/** Checks the finalizer of a built-in kind: a standard one, or one with a domain. */
export function validateFinalizerDomain(finalizer: string, path: FieldPath): FieldError[] {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return []
  return [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]
}

function* domainErrors(finalizers: readonly string[], path: FieldPath, rules: ObjectMetaRules): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (rules.qualifiedFinalizers === false) return errors
  for (const [i, finalizer] of finalizers.entries()) {
    if (isStepDone()) yield
    errors.push(...validateFinalizerDomain(finalizer, path.index(i)))
  }
  return errors
}

/** Limit on the name of a field manager, in bytes. */
export const MANAGER_MAX_BYTES = 128
/**
 * Matches a character that Go's unicode.IsPrint accepts: a letter, mark, number, punctuation, symbol or the plain
 * space.
 */
export const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
const PLAIN = /^[ -~]*$/

/**
 * Length of the errors of one field manager, in UTF-16 code units, after which its further characters are not
 * validated. Each error quotes the whole name.
 */
const MOST_QUOTED = 1 << 20

/** Validates the name of a field manager: printable characters of limited length. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (longerThan(manager, MANAGER_MAX_BYTES)) errors.push(tooLongError(path, MANAGER_MAX_BYTES))
  if (PLAIN.test(manager)) return errors
  let at = 0
  for (const c of manager) {
    if (!PRINTABLE.test(c)) {
      const point = (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      errors.push(invalid(path, manager, `invalid character U+${point} (at position ${at})`))
    }
    at += Buffer.byteLength(c)
    if (errors.length * manager.length > MOST_QUOTED) break
  }
  return errors
}

const operationError = (operation: string, path: FieldPath): FieldError =>
  replacedSince('1.37', invalid(path, operation, 'must be `Apply` or `Update`'), () =>
    operation === '' ? required(path, 'must not be empty') : notSupported(path, operation, ['Apply', 'Update']),
  )

function* managerErrors(entries: readonly ManagedFieldsEntry[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, { operation, fieldsType, manager, subresource }] of entries.entries()) {
    if (isStepDone()) yield
    const at = path.index(i)
    if (operation !== 'Apply' && operation !== 'Update') errors.push(operationError(operation ?? '', at.child('operation')))
    if (fieldsType && fieldsType !== 'FieldsV1') errors.push(invalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`'))
    if (manager) errors.push(...validateFieldManager(manager, at.child('manager')))
    if (subresource && longerThan(subresource, 256)) errors.push(tooLongError(at.child('subresource'), 256))
  }
  return errors
}

type ObjectMetaArgs = [meta: ObjectMeta, namespaced: boolean, validateName: ValidateName, path: FieldPath, rules?: ObjectMetaRules]
type ObjectMetaUpdateArgs = [next: ObjectMeta, old: ObjectMeta, path: FieldPath, rules?: ObjectMetaRules]

/** ValidateObjectMeta, for creates (after a name has been generated) and for templates. */
export const validateObjectMeta = (...args: ObjectMetaArgs): FieldError[] => runAtOnce(validateObjectMetaInSteps(...args))

/** ValidateObjectMetaUpdate. */
export const validateObjectMetaUpdate = (...args: ObjectMetaUpdateArgs): FieldError[] => runAtOnce(validateObjectMetaUpdateInSteps(...args))

/** ValidateObjectMeta in steps, for objects that may be large. */
export function* validateObjectMetaInSteps(...[meta, namespaced, validateName, path, rules = {}]: ObjectMetaArgs): Steps<FieldError[]> {
  const errors = validateIdentity(meta, namespaced, validateName, path)
  if (meta.labels) yield* addErrors(errors, labelErrors(meta.labels, path.child('labels')))
  if (meta.annotations) yield* addErrors(errors, annotationErrors(meta.annotations, path.child('annotations')))
  if (meta.ownerReferences) yield* addErrors(errors, ownerErrors(meta.ownerReferences, path.child('ownerReferences')))
  if (meta.finalizers) yield* addErrors(errors, finalizerErrors(meta.finalizers, path.child('finalizers')))
  if (meta.managedFields) yield* addErrors(errors, managerErrors(meta.managedFields, path.child('managedFields')))
  if (meta.finalizers) yield* addErrors(errors, domainErrors(meta.finalizers, path.child('finalizers'), rules))
  return errors
}

/**
 * Appends errors, and yields if the turn has been long: a single field of metadata may hold as many values as a request
 * body.
 */
function* addErrors(errors: FieldError[], more: Steps<FieldError[]>): Steps<void> {
  for (const error of yield* more) errors.push(error)
  if (turnIsLong()) yield
}

/**
 * Validates name and generateName, the part of `validateObjectMeta` that depends on `validateName`. One of them must be
 * set.
 */
export function validateMetaNames(meta: ObjectMeta, validateName: ValidateName, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (meta.generateName)
    for (const message of validateName(meta.generateName, true))
      errors.push(invalid(path.child('generateName'), meta.generateName, message))
  if (!meta.name) errors.push(required(path.child('name'), 'name or generateName is required'))
  else for (const message of validateName(meta.name, false)) errors.push(invalid(path.child('name'), meta.name, message))
  return errors
}

function validateIdentity(meta: ObjectMeta, namespaced: boolean, validateName: ValidateName, path: FieldPath): FieldError[] {
  const errors = validateMetaNames(meta, validateName, path)
  if (namespaced) {
    if (!meta.namespace) errors.push(required(path.child('namespace')))
    else for (const message of nameIsDnsLabel(meta.namespace, false)) errors.push(invalid(path.child('namespace'), meta.namespace, message))
  } else if (meta.namespace) {
    errors.push(forbidden(path.child('namespace'), 'not allowed on this type'))
  }
  errors.push(...validateNonNegative(meta.generation, path.child('generation')))
  return errors
}

const time = (value: string | null | undefined): unknown => (value ? verbatim(printGoTime(value), () => JSON.stringify(value)) : value)

/** ValidateObjectMetaUpdate in steps: immutable fields first, then the others, in upstream's order. */
export function* validateObjectMetaUpdateInSteps(...[next, old, path, rules = {}]: ObjectMetaUpdateArgs): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (old.deletionTimestamp) yield* addErrors(errors, addedFinalizerErrors(next.finalizers ?? [], old.finalizers ?? [], path))
  errors.push(...validateUnchanged(next, old, path))
  if (next.labels) yield* addErrors(errors, labelErrors(next.labels, path.child('labels')))
  if (next.annotations) yield* addErrors(errors, annotationErrors(next.annotations, path.child('annotations')))
  if (next.ownerReferences) yield* addErrors(errors, ownerErrors(next.ownerReferences, path.child('ownerReferences')))
  if (next.managedFields) yield* addErrors(errors, managerErrors(next.managedFields, path.child('managedFields')))
  if (next.finalizers) yield* addErrors(errors, domainErrors(next.finalizers, path.child('finalizers'), rules))
  return errors
}

/** Checks that an object that is being deleted gets no new finalizers. */
function* addedFinalizerErrors(next: readonly string[], old: readonly string[], path: FieldPath): Steps<FieldError[]> {
  const before = new Set<string>()
  for (const finalizer of old) {
    if (isStepDone()) yield
    before.add(finalizer)
  }
  const added = new Set<string>()
  for (const finalizer of next) {
    if (isStepDone()) yield
    if (!before.has(finalizer)) added.add(finalizer)
  }
  if (added.size === 0) return []
  const listed: string[] = []
  for (const finalizer of yield* sortInSteps([...added], compareText)) {
    if (isStepDone()) yield
    listed.push(JSON.stringify(finalizer))
  }
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed.join(', ')}}`
  return [forbidden(path.child('finalizers'), why)]
}

/** Checks the immutable fields of metadata. */
function validateUnchanged(next: ObjectMeta, old: ObjectMeta, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!next.resourceVersion)
    errors.push(invalid(path.child('resourceVersion'), next.resourceVersion ?? '', 'must be specified for an update'))
  errors.push(...validateNonNegative(next.generation, path.child('generation')))
  if ((next.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalid(path.child('generation'), next.generation ?? 0, 'must not be decremented'))
  for (const field of ['name', 'namespace', 'uid'] as const) {
    if ((next[field] ?? '') !== (old[field] ?? '')) errors.push(immutableError(path.child(field), next[field] ?? ''))
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp'] as const) {
    if ((next[field] ?? null) !== (old[field] ?? null)) errors.push(immutableError(path.child(field), time(next[field])))
  }
  errors.push(
    ...validateImmutableField(next.deletionGracePeriodSeconds, old.deletionGracePeriodSeconds, path.child('deletionGracePeriodSeconds')),
  )
  return errors
}
