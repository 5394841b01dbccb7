import type { PersistentVolumeAccessMode } from '../../api/core/v1.types.ts'
import type { ObjectMeta, TypedObject } from '../../api/meta/object.ts'
import { enumValues } from '../../catalog/types.ts'
import { ownMember } from '../../meta/equal.ts'

/** Annotation that named the storage class before the field existed. If present, it takes precedence over the field. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

/** Returns a warning if the deprecated beta annotation is set. */
export const classAnnotationWarnings = ({ annotations }: ObjectMeta): string[] =>
  ownMember(annotations, CLASS_ANNOTATION) === undefined
    ? []
    : [`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`]

/**
 * Returns the name of the storage class of a PersistentVolume or PersistentVolumeClaim, or an empty string if it has
 * none.
 */
export const storageClassOf = ({ metadata, spec }: TypedObject & { spec: { storageClassName?: string } }): string =>
  ownMember(metadata.annotations, CLASS_ANNOTATION) ?? spec.storageClassName ?? ''

const SHORT: readonly (readonly [mode: PersistentVolumeAccessMode, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

/** Prints access modes in a fixed order, as in `RWO,ROX`. */
export const printAccessModes = (modes: readonly PersistentVolumeAccessMode[] | undefined): string =>
  SHORT.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',')

/** Access modes, sorted as error messages list them. */
export const ACCESS_MODES = enumValues('core.PersistentVolumeAccessMode')
/** Volume modes, sorted as error messages list them. */
export const VOLUME_MODES = enumValues('core.PersistentVolumeMode')
