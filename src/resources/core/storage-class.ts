import { ownMember } from '../../meta/equal.ts'
import type { ObjectMeta, TypedObject } from '../../meta/object.ts'
import type { PersistentVolumeAccessMode } from './v1.types.ts'

/** Where the name of a storage class stood before it had a field; it still wins over the field where it is there. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

/** The beta annotation still names a class, and is deprecated. */
export const classAnnotationWarnings = ({ annotations }: ObjectMeta): string[] =>
  ownMember(annotations, CLASS_ANNOTATION) === undefined
    ? []
    : [`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`]

/** The storage class of a PersistentVolume or a PersistentVolumeClaim; empty if none. */
export const storageClassOf = ({ metadata, spec }: TypedObject & { spec: { storageClassName?: string } }): string =>
  ownMember(metadata.annotations, CLASS_ANNOTATION) ?? spec.storageClassName ?? ''

const SHORT: readonly (readonly [mode: PersistentVolumeAccessMode, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

/** `RWO,ROX`: always in the same order. */
export const printAccessModes = (modes: readonly PersistentVolumeAccessMode[] | undefined): string =>
  SHORT.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',')

/** Sorted, as errors list them. */
export const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
/** Sorted, as errors list them. */
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem']
