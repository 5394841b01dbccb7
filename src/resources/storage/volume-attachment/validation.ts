import type { HookContext } from '../../../catalog/definition.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { covered, type FieldError, forbidden, invalid, required, tooLong } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { longerThan, nameIsDnsSubdomain, rangeError } from '../../../meta/names.ts'
import { MAX_INT32 } from '../../core/checks.ts'
import { validateSources } from '../../core/persistent-volume/sources.ts'
import { validateAccessModes } from '../../core/persistent-volume/validation.ts'
import type { PersistentVolumeSpec } from '../../core/v1.types.ts'
import { coveredDriverName, validateCsiDriverName } from '../../core/volume/sources.ts'
import { goValue } from '../../shared/go-values.ts'
import { bytesOf, MOST_BYTES } from '../parameters.ts'
import type { VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentSpec, VolumeError } from '../v1.types.ts'

const INLINE = 'in the context of inline volumes'
const notInline = (path: FieldPath) => forbidden(path, `may not be specified ${INLINE}`)

/** A persistent volume's spec that stands for a volume of a pod: what belongs to a volume of its own is refused. */
function validateInlineVolume(spec: PersistentVolumeSpec, path: FieldPath, release: Release): FieldError[] {
  const errors: FieldError[] = []
  if (spec.claimRef) errors.push(notInline(path.child('claimRef')))
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(notInline(path.child('capacity')))
  if (!spec.csi) errors.push(required(path.child('csi'), `has to be specified ${INLINE}`))
  errors.push(...validateAccessModes(spec.accessModes ?? [], path.child('accessModes')))
  const policy = spec.persistentVolumeReclaimPolicy ?? ''
  if (policy !== '' && policy !== 'Retain') errors.push(forbidden(path.child('persistentVolumeReclaimPolicy'), `may only be Retain ${INLINE}`))
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

/** Exactly one of the name of a persistent volume and an inline volume. */
function validateSource({ persistentVolumeName: name, inlineVolumeSpec: inline }: VolumeAttachmentSource, path: FieldPath, release: Release): FieldError[] {
  if (name === undefined && !inline) return [required(path, ONE)]
  if (name !== undefined && inline) return [forbidden(path, ONE)]
  if (name === '') return [required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')]
  return inline ? validateInlineVolume(inline, path.child('inlineVolumeSpec'), release) : []
}

function validateError(error: VolumeError | undefined, path: FieldPath): FieldError[] {
  const { message = '', errorCode = 0 } = error ?? {}
  return [
    // The limit in the message is another than the one that holds, as upstream has it.
    ...(longerThan(message, MESSAGE_LIMIT) ? [tooLong(path.child('message'), MOST_BYTES)] : []),
    ...(errorCode < 0 ? [invalid(path.child('errorCode'), errorCode, rangeError(0, MAX_INT32))] : []),
  ]
}

/** From 1.36 on the name of a driver, whether the object is new or not; `validateNames` has what is judged before. */
function validateAttacher(attacher: string, path: FieldPath, release: Release): FieldError[] {
  if (isSince(release, '1.36')) return coveredDriverName(validateCsiDriverName(attacher, path, release))
  return attacher === '' ? [required(path)] : []
}

/** The rules that hold on create and on update. Sizes of the status are bounded too. */
function validateAttachment({ spec, status }: VolumeAttachment, release: Release): FieldError[] {
  const path = fieldPath('spec')
  const at = fieldPath('status')
  return [
    ...validateAttacher(spec.attacher, path.child('attacher'), release),
    ...validateSource(spec.source, path.child('source'), release),
    ...nameIsDnsSubdomain(spec.nodeName, false).map(text => invalid(path.child('nodeName'), spec.nodeName, text)),
    ...(bytesOf(status.attachmentMetadata ?? {}) > MOST_BYTES ? [tooLong(at.child('attachmentMetadata'), MOST_BYTES)] : []),
    ...validateError(status.attachError, at.child('attachError')),
    ...validateError(status.detachError, at.child('detachError')),
  ]
}

const validateVolumeName = ({ persistentVolumeName: name }: VolumeAttachmentSource): FieldError[] =>
  name === undefined ? [] : nameIsDnsSubdomain(name, false).map(text => invalid(fieldPath('spec', 'source', 'persistentVolumeName'), name, text))

/** Before 1.36, of a new object only: v1 is stricter than v1beta1 was, and updates let pass what is there. */
const validateNames = ({ attacher, source }: VolumeAttachmentSpec, release: Release): FieldError[] => [
  ...validateCsiDriverName(attacher, fieldPath('spec', 'attacher'), release),
  ...validateVolumeName(source),
]

/** The spec never changes. Metadata and errors in the status are bounded in size. Source: pkg/apis/storage/validation in k8s.io/kubernetes. */
export function validateVolumeAttachment(
  next: VolumeAttachment,
  old: VolumeAttachment | undefined,
  { features: { release } }: Pick<HookContext, 'features'>,
): FieldError[] {
  const { spec } = next
  const namesAlways = isSince(release, '1.36')
  const errors = [...validateAttachment(next, release), ...(namesAlways ? validateVolumeName(spec.source) : [])]
  if (!old) return namesAlways ? errors : [...errors, ...validateNames(spec, release)]
  const changed = deepEqual(spec, old.spec)
    ? []
    : covered('immutable', [invalid(fieldPath('spec'), goValue('storage.VolumeAttachmentSpec', spec), 'field is immutable')])
  // An update is checked as a new object and as an update, so upstream reports every cause twice.
  return [...errors, ...errors, ...changed]
}
