import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isValidLabelValue, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { compareQuantity, quantityValue } from '../../../meta/quantity.ts'
import { goChanges, goMember } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { NOT_POSITIVE, report } from '../checks.ts'
import { checkNodeSelector } from '../pod-spec/affinity.ts'
import { ACCESS_MODES, VOLUME_MODES } from '../storage-class.ts'
import { sameNodeAffinity } from './node-affinity.ts'
import { checkSource, sourcesOf } from './sources.ts'

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain']
const specPath = fieldPath('spec')

export function validatePersistentVolume(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors: Errors = []
  checkSpec(next, old, errors)
  if (!old) return errors
  // An update is checked as a new volume twice, as upstream does: the causes say so.
  errors.push(...errors)
  checkUpdate(next.spec ?? {}, old.spec ?? {}, errors)
  return errors
}

function checkSpec(volume: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  const spec: ApiStruct = volume.spec ?? {}
  checkAccessModes(spec.accessModes ?? [], specPath.child('accessModes'), errors)
  checkCapacity(spec.capacity ?? {}, errors)
  const policy: string = spec.persistentVolumeReclaimPolicy ?? ''
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupported(specPath.child('persistentVolumeReclaimPolicy'), policy, RECLAIM_POLICIES))
  }
  if (spec.nodeAffinity) checkNodeAffinity(spec.nodeAffinity, hasInvalidValues(old?.spec?.nodeAffinity), errors)

  const sources = sourcesOf(spec)
  if (sources.length === 0) errors.push(required(specPath, 'must specify a volume type'))
  for (const [i, name] of sources.entries()) checkSource(volume, name, i > 0, specPath, errors)

  if (spec.hostPath && cleansToRoot(spec.hostPath.path ?? '') && policy === 'Recycle') {
    errors.push(forbidden(specPath.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"))
  }
  if (spec.storageClassName) report(nameIsDnsSubdomain(spec.storageClassName, false), specPath.child('storageClassName'), spec.storageClassName, errors)
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode)) {
    errors.push(notSupported(specPath.child('volumeMode'), spec.volumeMode, VOLUME_MODES))
  }
  if (spec.volumeAttributesClassName !== undefined) checkAttributesClass(spec, errors)
}

export function checkAccessModes(modes: readonly string[], path: FieldPath, errors: Errors): void {
  if (modes.length === 0) errors.push(required(path))
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(path, mode, ACCESS_MODES))
  if (modes.includes('ReadWriteOncePod') && modes.some(mode => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  }
}

function checkCapacity(capacity: Record<string, string>, errors: Errors): void {
  const path = specPath.child('capacity')
  const names = Object.keys(capacity)
  if (names.length === 0) errors.push(required(path))
  if (names.length !== 1 || names[0] !== 'storage') errors.push(notSupported(path, goMember('core.PersistentVolumeSpec', 'capacity', capacity), ['storage']))
  for (const name of names) {
    const quantity = capacity[name] as string
    const value = quantityValue(quantity)
    if (value < 0n) errors.push(invalid(path.key(name), value, 'must be a valid resource quantity'))
    if (compareQuantity(quantity, 0) <= 0) errors.push(invalid(path.key(name), quantity, NOT_POSITIVE))
  }
}

const hasInvalidValues = (affinity: ApiStruct | undefined): boolean => {
  const terms: ApiStruct[] = affinity?.required?.nodeSelectorTerms ?? []
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }: ApiStruct) => values.some((value: string) => isValidLabelValue(value).length > 0)),
  )
}

function checkNodeAffinity(affinity: ApiStruct, allowInvalidValues: boolean, errors: Errors): void {
  const path = specPath.child('nodeAffinity', 'required')
  if (affinity.required) checkNodeSelector(affinity.required, allowInvalidValues, path, errors)
  else errors.push(required(path, 'must specify required node constraints'))
}

/** Whether Go's path.Clean makes it `/`. */
function cleansToRoot(path: string): boolean {
  if (!path.startsWith('/')) return false
  let depth = 0
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1)
    else if (part !== '' && part !== '.') depth++
  }
  return depth === 0
}

function checkAttributesClass(spec: ApiStruct, errors: Errors): void {
  const path = specPath.child('volumeAttributesClassName')
  const name: string = spec.volumeAttributesClassName
  if (name === '') errors.push(required(path, 'an empty string is disallowed'))
  else report(nameIsDnsSubdomain(name, false), path, name, errors)
  if (!spec.csi) errors.push(required(specPath.child('csi'), 'has to be specified when using volumeAttributesClassName'))
}

function checkUpdate(next: ApiStruct, old: ApiStruct, errors: Errors): void {
  const before = sourceMembers(old)
  const after = sourceMembers(next)
  // The one thing of a source that may come later.
  const secretIsNew = old.csi && !old.csi.controllerExpandSecretRef && next.csi?.controllerExpandSecretRef
  const compared = secretIsNew ? { ...after, csi: { ...next.csi, controllerExpandSecretRef: undefined } } : after
  if (!deepEqual(compared, before)) {
    const detail = `spec.persistentvolumesource is immutable after creation\n${goChanges('core.PersistentVolumeSource', before, compared)}`
    errors.push(forbidden(fieldPath('spec', 'persistentvolumesource'), detail))
  }
  errors.push(...validateImmutableField(next.volumeMode, old.volumeMode, fieldPath('volumeMode')))
  if (old.nodeAffinity !== undefined && !sameNodeAffinity(next.nodeAffinity, old.nodeAffinity)) {
    errors.push(
      invalid(
        fieldPath('nodeAffinity'),
        goMember('core.PersistentVolumeSpec', 'nodeAffinity', next.nodeAffinity),
        'field is immutable, except for updating from beta label to GA',
      ),
    )
  }
  if (next.volumeAttributesClassName !== old.volumeAttributesClassName) {
    const path = fieldPath('spec', 'volumeAttributesClassName')
    errors.push(forbidden(path, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'))
    if (old.volumeAttributesClassName !== undefined && next.volumeAttributesClassName === undefined) {
      errors.push(forbidden(path, 'update from non-nil value to nil is forbidden'))
    }
  }
}

const sourceMembers = (spec: ApiStruct): Record<string, unknown> => Object.fromEntries(sourcesOf(spec).map(name => [name, spec[name] as unknown]))
