import type { PersistentVolume, PersistentVolumeSpec } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { formatTime } from '../../../meta/time.ts'
import { ageColumn, column, nameColumn, withoutColumn } from '../../shared/columns.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { nodeTermWarnings } from '../pod-spec/warnings.ts'
import { classAnnotationWarnings, printAccessModes, storageClassOf } from '../storage-class.ts'
import { setPersistentVolumeDefaults } from './defaults.ts'
import { validatePersistentVolume } from './validation.ts'

/**
 * Drops fields of disabled gates in code, not by the `gate` mark of the declaration: a VolumeAttachment contains a
 * volume spec as well, and keeps the class.
 */
function dropDisabledFields(next: PersistentVolume, old: PersistentVolume | undefined, features: Features): void {
  if (!features.enabled('VolumeAttributesClass') && old?.spec.volumeAttributesClassName === undefined)
    delete next.spec.volumeAttributesClassName
}

const keepsTimes = (features: Features): boolean => features.enabled('PersistentVolumeLastPhaseTransitionTime')

const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  metaRounds: ['whole', 'whole'],
  resetFields: STATUS_FIELDS,
  returnsDeleted: true,
  prepare(next, old, { now, features }) {
    dropDisabledFields(next, old, features)
    if (old) keepMembers(next, old, 'status')
    // 1.24 keeps the status that a client writes.
    else if (isSince(features.release, '1.25'))
      next.status = { phase: 'Pending', ...(keepsTimes(features) && { lastPhaseTransitionTime: formatTime(now) }) }
  },
  validate: validatePersistentVolume,
  warnings,
}

const persistentVolumeStatusStrategy: Strategy<PersistentVolume> = {
  resetFields: SPEC_FIELDS,
  /** The server sets the time of the last phase transition, unless the client does. */
  prepare(next, old, { now, features }) {
    if (!old) return
    keepMembers(next, old, 'spec')
    if (!keepsTimes(features)) return
    const time = next.status.lastPhaseTransitionTime
    const before = old.status.lastPhaseTransitionTime
    if (next.status.phase !== old.status.phase) {
      if (time === undefined || time === before) next.status.lastPhaseTransitionTime = formatTime(now)
    } else if (time === undefined && before !== undefined) {
      next.status.lastPhaseTransitionTime = before
    }
  },
  // The status has no validation rules.
  validate: () => [],
}

/**
 * Sources that current releases have no driver for: the member of the spec, its name in the warning, the release that
 * deprecated it, and the first release without it.
 */
const RETIRED: readonly (readonly [source: keyof PersistentVolumeSpec, name: string, since: string, gone: string])[] = [
  ['cephfs', 'cephfs', 'v1.28', 'v1.31'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'v1.11', 'v1.16'],
  ['scaleIO', 'scaleIO', 'v1.16', 'v1.22'],
  ['storageos', 'storageOS', 'v1.22', 'v1.25'],
  ['glusterfs', 'glusterfs', 'v1.25', 'v1.26'],
  ['rbd', 'rbd', 'v1.28', 'v1.31'],
]

/** Warnings for the new object alone. An update repeats the warnings of the old object. */
function warnings({ metadata, spec }: PersistentVolume, _: PersistentVolume | undefined, { features: { release } }: HookContext): string[] {
  if (!isSince(release, '1.25')) return []
  const texts = isSince(release, '1.28') ? classAnnotationWarnings(metadata) : []
  if (isSince(release, '1.31') && Object.hasOwn(metadata.annotations ?? {}, 'volume.beta.kubernetes.io/mount-options')) {
    texts.push(
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    )
  }
  if (isSince(release, '1.30') && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    texts.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    )
  }
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  const termsPath = fieldPath('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms')
  texts.push(...terms.flatMap((term, i) => nodeTermWarnings(term, false, termsPath.index(i))))
  for (const [source, name, since, gone] of isSince(release, '1.28') ? RETIRED : []) {
    if (spec[source] !== undefined) texts.push(`spec.${name}: deprecated in ${since}, non-functional in ${gone}+`)
  }
  return texts
}

const persistentVolumeTable: TableDefinition<PersistentVolume> = {
  columns: [
    nameColumn,
    column('Capacity', 'Size of the volume.'),
    column('Access Modes', 'Access modes of the volume.'),
    column('Reclaim Policy', 'Whether the volume is kept, deleted or recycled when its claim is deleted.'),
    column('Status', 'Available, Bound, Released or Failed.'),
    column('Claim', 'Claim that the volume is bound to.'),
    column('StorageClass', 'Storage class of the volume.'),
    column('VolumeAttributesClass', 'Volume attributes class of the volume.'),
    column('Reason', 'Reason of the failure.'),
    ageColumn,
    column('VolumeMode', 'Filesystem or raw block device.', 1),
  ],
  cells(volume, now) {
    const { metadata, spec, status } = volume
    const claim = spec.claimRef
    return [
      metadata.name ?? '',
      spec.capacity?.storage ?? '0',
      printAccessModes(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
      storageClassOf(volume),
      spec.volumeAttributesClassName ?? '<unset>',
      status.reason ?? '',
      age(metadata.creationTimestamp, now),
      spec.volumeMode ?? '<unset>',
    ]
  },
}

const v1: Version<PersistentVolume> = {
  group: '',
  name: 'v1',
  kind: 'PersistentVolume',
  names: { plural: 'persistentvolumes', singular: 'persistentvolume', shortNames: ['pv'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.PersistentVolume'),
  setDefaults: setPersistentVolumeDefaults,
  table: persistentVolumeTable,
  tableIn: release => (isSince(release, '1.29') ? persistentVolumeTable : withoutColumn(persistentVolumeTable, 'VolumeAttributesClass')),
  subresources: { status: { verbs: STATUS_VERBS, strategy: persistentVolumeStatusStrategy } },
}

/**
 * Storage in the cluster. Its source never changes, and its status is written by the controller that binds claims.
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/
 * Source of its rules: pkg/registry/core/persistentvolume.
 */
export const persistentVolumeResource = defineResource<PersistentVolume>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'persistentvolumes', version: v1 },
  strategy: persistentVolumeStrategy,
})
