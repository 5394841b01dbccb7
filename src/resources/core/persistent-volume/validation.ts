import type { PersistentVolume, PersistentVolumeAccessMode, PersistentVolumeSpec, VolumeNodeAffinity } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { asGiven } from '../../../meta/empty-members.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { compareQuantity, quantityValue } from '../../../meta/quantity.ts'
import { goChanges, goMember } from '../../shared/go-values.ts'
import { NOT_POSITIVE } from '../checks.ts'
import { nodeSelectorErrors } from '../pod-spec/affinity.ts'
import { hasInvalidTermValue } from '../pod-spec/options.ts'
import { ACCESS_MODES, VOLUME_MODES } from '../storage-class.ts'
import { sameNodeAffinity } from './node-affinity.ts'
import { sourcesOf, validateShortSecretNames, validateSources } from './sources.ts'

const RECLAIM_POLICIES = enumValues('core.PersistentVolumeReclaimPolicy')
const SPEC_PATH = fieldPath('spec')

/**
 * Validates a volume. It has exactly one source, which never changes. A node affinity may only be added. An update may
 * keep label values in the node affinity that a create rejects, if the old volume has such values. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validatePersistentVolume(
  next: PersistentVolume,
  old: PersistentVolume | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const errors = yield* validateVolumeSpec(next, old, features)
  // Upstream validates an updated object twice, and reports every error twice.
  return old ? [...errors, ...errors, ...(yield* validateVolumeUpdate(next.spec, old.spec, features))] : errors
}

/**
 * `old` only decides whether invalid label values of the affinity and long names of secrets may stay. An empty reclaim
 * policy is accepted.
 */
function* validateVolumeSpec(volume: PersistentVolume, old: PersistentVolume | undefined, { release }: Features): Steps<FieldError[]> {
  const { spec } = volume
  const errors = [...validateAccessModes(spec.accessModes ?? [], SPEC_PATH.child('accessModes')), ...(yield* validateCapacity(spec))]
  const policy = spec.persistentVolumeReclaimPolicy ?? ''
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupported(SPEC_PATH.child('persistentVolumeReclaimPolicy'), policy, RECLAIM_POLICIES))
  }
  if (spec.nodeAffinity) {
    const anyValues = !isSince(release, '1.33') || (yield* hasInvalidTermValue(old?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []))
    errors.push(...(yield* validateNodeAffinity(spec.nodeAffinity, anyValues)))
  }

  errors.push(...validateSources(spec, SPEC_PATH, { volume: volume.metadata.name ?? '', release }))
  if (!isSince(release, '1.27'))
    errors.push(...validateShortSecretNames(spec, isSince(release, '1.25') ? old?.spec : undefined, SPEC_PATH.child('csi')))

  if (spec.hostPath && cleansToRoot(spec.hostPath.path) && policy === 'Recycle') {
    errors.push(forbidden(SPEC_PATH.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"))
  }
  const { storageClassName } = spec
  if (storageClassName)
    errors.push(
      ...nameIsDnsSubdomain(storageClassName, false).map(text => invalid(SPEC_PATH.child('storageClassName'), storageClassName, text)),
    )
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode)) {
    errors.push(notSupported(SPEC_PATH.child('volumeMode'), spec.volumeMode, VOLUME_MODES))
  }
  return [...errors, ...validateAttributesClass(spec)]
}

/**
 * Checks access modes. ReadWriteOncePod excludes all others. Errors are reported for the list, not for its elements. An
 * unknown mode beside ReadWriteOncePod is reported once, as unknown.
 */
export function validateAccessModes(modes: readonly PersistentVolumeAccessMode[], path: FieldPath): FieldError[] {
  const errors = modes.length === 0 ? [required(path)] : []
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(path, mode, ACCESS_MODES))
  if (modes.includes('ReadWriteOncePod') && modes.some(mode => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  }
  return errors
}

/**
 * Checks that the capacity has exactly one entry, `storage`, with a positive amount. An empty capacity is reported
 * twice: as required and as not supported. Amounts under other names are checked as well.
 */
function* validateCapacity(spec: PersistentVolumeSpec): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const path = SPEC_PATH.child('capacity')
  const { capacity = {} } = spec
  const names = yield* memberNames(capacity)
  if (names.length === 0) errors.push(required(path))
  if (names.length !== 1 || names[0] !== 'storage')
    errors.push(notSupported(path, goMember('core.PersistentVolumeSpec', 'capacity', asGiven(spec, 'capacity')), ['storage']))
  for (const name of names) {
    if (isLongStepDone()) yield
    const quantity = capacity[name] ?? ''
    const value = quantityValue(quantity)
    if (value < 0n) errors.push(invalid(path.key(name), value, 'must be a valid resource quantity'))
    if (compareQuantity(quantity, 0) <= 0) errors.push(invalid(path.key(name), quantity, NOT_POSITIVE))
  }
  return errors
}

function* validateNodeAffinity(affinity: VolumeNodeAffinity, allowInvalidValues: boolean): Steps<FieldError[]> {
  const path = SPEC_PATH.child('nodeAffinity', 'required')
  if (!affinity.required) return [required(path, 'must specify required node constraints')]
  return yield* nodeSelectorErrors(affinity.required, allowInvalidValues, path)
}

/** Reports whether Go's path.Clean returns `/` for the path. */
function cleansToRoot(path: string): boolean {
  if (!path.startsWith('/')) return false
  let depth = 0
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1)
    else if (part !== '' && part !== '.') depth++
  }
  return depth === 0
}

/** The class may be unset, but not empty. Only a CSI volume may have one. */
function validateAttributesClass({ volumeAttributesClassName: name, csi }: PersistentVolumeSpec): FieldError[] {
  if (name === undefined) return []
  const path = SPEC_PATH.child('volumeAttributesClassName')
  return [
    ...(name === ''
      ? [required(path, 'an empty string is disallowed')]
      : nameIsDnsSubdomain(name, false).map(text => invalid(path, name, text))),
    ...(csi ? [] : [required(SPEC_PATH.child('csi'), 'has to be specified when using volumeAttributesClassName')]),
  ]
}

/**
 * Checks source, mode and affinity of an update. The attributes class may change while its gate is on, but may not be
 * removed. The paths `spec.persistentvolumesource`, `volumeMode` and `nodeAffinity` are upstream’s: the first is no
 * field, and the others lack `spec`.
 */
function* validateVolumeUpdate(next: PersistentVolumeSpec, old: PersistentVolumeSpec, features: Features): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const before = sourceMembers(old)
  const after = sourceMembers(next)
  // The only part of a source that may be added later.
  const secretIsNew = old.csi && !old.csi.controllerExpandSecretRef && next.csi?.controllerExpandSecretRef
  const { controllerExpandSecretRef: _, ...csi } = next.csi ?? {}
  const compared = secretIsNew ? { ...after, csi } : after
  if (!(yield* deepEqualBySize(compared, before))) {
    const detail = `spec.persistentvolumesource is immutable after creation\n${goChanges(features.release, 'core.PersistentVolumeSource', before, compared)}`
    errors.push(forbidden(fieldPath('spec', 'persistentvolumesource'), detail))
  }
  errors.push(...validateImmutableField(next.volumeMode, old.volumeMode, fieldPath('volumeMode')))
  const isSame = isSince(features.release, '1.27') ? sameNodeAffinity : deepEqualBySize
  if (old.nodeAffinity !== undefined && !(yield* isSame(next.nodeAffinity, old.nodeAffinity))) {
    errors.push(
      invalid(
        fieldPath('nodeAffinity'),
        goMember('core.PersistentVolumeSpec', 'nodeAffinity', next.nodeAffinity),
        isSince(features.release, '1.27') ? 'field is immutable, except for updating from beta label to GA' : 'field is immutable',
      ),
    )
  }
  if (next.volumeAttributesClassName !== old.volumeAttributesClassName) {
    const path = fieldPath('spec', 'volumeAttributesClassName')
    if (!features.enabled('VolumeAttributesClass')) {
      errors.push(forbidden(path, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'))
    }
    if (old.volumeAttributesClassName !== undefined && next.volumeAttributesClassName === undefined) {
      errors.push(forbidden(path, 'update from non-nil value to nil is forbidden'))
    }
  }
  return errors
}

/** The members of the spec that are sources. */
const sourceMembers = (spec: PersistentVolumeSpec): Partial<PersistentVolumeSpec> => {
  const names = new Set<string>(sourcesOf(spec))
  return Object.fromEntries(Object.entries(spec).filter(([name]) => names.has(name)))
}
