import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateSources } from '../../core/persistent-volume/sources.ts'
import { validateAccessModes } from '../../core/persistent-volume/validation.ts'
import type { PersistentVolumeSpec } from '../../core/v1.types.ts'

const INLINE = 'in the context of inline volumes'
const notInline = (path: FieldPath) => forbidden(path, `may not be specified ${INLINE}`)

/** A persistent volume's spec that stands for a volume of a pod: what belongs to a volume of its own is refused. */
export function validateInlineVolume(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (spec.claimRef) errors.push(notInline(path.child('claimRef')))
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(notInline(path.child('capacity')))
  if (!spec.csi) errors.push(required(path.child('csi'), `has to be specified ${INLINE}`))
  errors.push(...validateAccessModes(spec.accessModes ?? [], path.child('accessModes')))
  const policy = spec.persistentVolumeReclaimPolicy ?? ''
  if (policy !== '' && policy !== 'Retain') errors.push(forbidden(path.child('persistentVolumeReclaimPolicy'), `may only be Retain ${INLINE}`))
  if (spec.nodeAffinity) errors.push(notInline(path.child('nodeAffinity')))
  errors.push(...validateSources(spec, '', path))
  if (spec.storageClassName) errors.push(notInline(path.child('storageClassName')))
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    errors.push(forbidden(path.child('volumeMode'), `may not specify volumeMode other than Filesystem ${INLINE}`))
  }
  return errors
}
