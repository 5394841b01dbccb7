import type { PersistentVolumeSpec } from '../../../api/core/v1.types.ts'
import type { VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentSpec, VolumeError } from '../../../api/storage/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { hasNoMembers } from '../../../lib/wide-objects.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { covered, type FieldError, forbidden, immutableError, invalid, required, tooLongError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { longerThan, nameIsDnsSubdomain, rangeError } from '../../../meta/names.ts'
import { MAX_INT32 } from '../../core/checks.ts'
import { validateSources } from '../../core/persistent-volume/sources.ts'
import { validateAccessModes } from '../../core/persistent-volume/validation.ts'
import { coveredDriverName, validateCsiDriverName } from '../../core/volume/sources.ts'
import { goValue } from '../../shared/go-values.ts'
import { MOST_BYTES, parametersSize } from '../parameters.ts'

const INLINE = 'in the context of inline volumes'
const notInline = (path: FieldPath) => forbidden(path, `may not be specified ${INLINE}`)

/** Validates the inline spec of a pod's volume. Fields that only a PersistentVolume object has are rejected. */
function validateInlineVolume(spec: PersistentVolumeSpec, path: FieldPath, release: Release): FieldError[] {
  const errors: FieldError[] = []
  if (spec.claimRef) errors.push(notInline(path.child('claimRef')))
  if (!hasNoMembers(spec.capacity)) errors.push(notInline(path.child('capacity')))
  if (!spec.csi) errors.push(required(path.child('csi'), `has to be specified ${INLINE}`))
  errors.push(...validateAccessModes(spec.accessModes ?? [], path.child('accessModes')))
  const policy = spec.persistentVolumeReclaimPolicy ?? ''
  if (policy !== '' && policy !== 'Retain')
    errors.push(forbidden(path.child('persistentVolumeReclaimPolicy'), `may only be Retain ${INLINE}`))
  if (spec.nodeAffinity) errors.push(notInline(path.child('nodeAffinity')))
  errors.push(...validateSources(spec, path, { volume: '', release }))
  if (spec.storageClassName) errors.push(notInline(path.child('storageClassName')))
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    errors.push(forbidden(path.child('volumeMode'), `may not specify volumeMode other than Filesystem ${INLINE}`))
  }
  return errors
}

const MESSAGE_LIMIT = 1024
const ONE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'

/** Checks that either the name of a persistent volume or an inline volume is set. */
function validateAttachmentSource(
  { persistentVolumeName: name, inlineVolumeSpec: inline }: VolumeAttachmentSource,
  path: FieldPath,
  release: Release,
): FieldError[] {
  if (name === undefined && !inline) return [required(path, ONE)]
  if (name !== undefined && inline) return [forbidden(path, ONE)]
  if (name === '') return [required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')]
  return inline ? validateInlineVolume(inline, path.child('inlineVolumeSpec'), release) : []
}

function validateError(error: VolumeError | undefined, path: FieldPath, release: Release): FieldError[] {
  const { message = '', errorCode = 0 } = error ?? {}
  return [
    // Before 1.37 the message shows another limit than the one that applies, as in upstream.
    ...(longerThan(message, MESSAGE_LIMIT)
      ? [tooLongError(path.child('message'), isSince(release, '1.37') ? MESSAGE_LIMIT : MOST_BYTES)]
      : []),
    ...(errorCode < 0 ? [invalid(path.child('errorCode'), errorCode, rangeError(0, MAX_INT32))] : []),
  ]
}

/**
 * Validates the attacher. Since 1.36 it must be the name of a driver on create and update; for earlier releases
 * `validateAttachmentNames` checks that.
 */
function validateAttacher(attacher: string, path: FieldPath, release: Release): FieldError[] {
  if (isSince(release, '1.36')) return coveredDriverName(validateCsiDriverName(attacher, path, release))
  return attacher === '' ? [required(path)] : []
}

/** Validates a create or an update. Sizes in the status are limited, too. */
function* validateAttachment({ spec, status }: VolumeAttachment, release: Release): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const at = fieldPath('status')
  return [
    ...validateAttacher(spec.attacher, path.child('attacher'), release),
    ...validateAttachmentSource(spec.source, path.child('source'), release),
    ...nameIsDnsSubdomain(spec.nodeName, false).map(text => invalid(path.child('nodeName'), spec.nodeName, text)),
    ...((yield* parametersSize(status.attachmentMetadata ?? {})) > MOST_BYTES
      ? [tooLongError(at.child('attachmentMetadata'), MOST_BYTES)]
      : []),
    ...validateError(status.attachError, at.child('attachError'), release),
    ...validateError(status.detachError, at.child('detachError'), release),
  ]
}

const validateVolumeName = ({ persistentVolumeName: name }: VolumeAttachmentSource): FieldError[] =>
  name === undefined
    ? []
    : nameIsDnsSubdomain(name, false).map(text => invalid(fieldPath('spec', 'source', 'persistentVolumeName'), name, text))

/** Checks names before 1.36, on create only: v1 is stricter than v1beta1 was, and updates accept existing values. */
const validateAttachmentNames = ({ attacher, source }: VolumeAttachmentSpec, release: Release): FieldError[] => [
  ...validateCsiDriverName(attacher, fieldPath('spec', 'attacher'), release),
  ...validateVolumeName(source),
]

/**
 * Validates an attachment. The spec is immutable. Metadata and errors in the status are limited in size. Source:
 * pkg/apis/storage/validation in k8s.io/kubernetes.
 */
export function* validateVolumeAttachment(
  next: VolumeAttachment,
  old: VolumeAttachment | undefined,
  { features: { release } }: Pick<HookContext, 'features'>,
): Steps<FieldError[]> {
  const { spec } = next
  const namesAlways = isSince(release, '1.36')
  const errors = [...(yield* validateAttachment(next, release)), ...(namesAlways ? validateVolumeName(spec.source) : [])]
  if (!old) return namesAlways ? errors : [...errors, ...validateAttachmentNames(spec, release)]
  const changed = (yield* deepEqualBySize(spec, old.spec))
    ? []
    : covered('immutable', [immutableError(fieldPath('spec'), goValue('storage.VolumeAttachmentSpec', spec))])
  // Upstream validates an updated object twice, and reports every error twice.
  return [...errors, ...errors, ...changed]
}
