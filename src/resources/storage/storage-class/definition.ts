import type { StorageClass } from '../../../api/storage/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { storageClassWarnings } from '../warnings.ts'
import { isDefaultClass } from './default-class.ts'
import { validateStorageClass } from './validation.ts'

const table: TableDefinition<StorageClass> = {
  columns: [
    nameColumn,
    column('Provisioner', 'Provisioner of the volumes.'),
    column('ReclaimPolicy', 'Whether a volume is deleted or kept when its claim is deleted.'),
    column('VolumeBindingMode', 'When volumes are provisioned and bound.'),
    column('AllowVolumeExpansion', 'Whether claims may be expanded.'),
    ageColumn,
  ],
  cells: ({ metadata, provisioner, reclaimPolicy, volumeBindingMode, allowVolumeExpansion }, now) => [
    `${metadata.name ?? ''}${isDefaultClass({ metadata }) ? ' (default)' : ''}`,
    provisioner,
    reclaimPolicy ?? 'Delete',
    volumeBindingMode ?? 'Immediate',
    allowVolumeExpansion ?? false,
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<StorageClass> = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'StorageClass',
  names: { plural: 'storageclasses', singular: 'storageclass', shortNames: ['sc'] },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.StorageClass'),
  setDefaults(object) {
    object.reclaimPolicy ??= 'Delete'
    object.volumeBindingMode ??= 'Immediate'
  },
  table,
}

/**
 * Describes how volumes are provisioned. Provisioner, parameters, reclaim policy and binding mode are immutable; the
 * default class has an annotation (admission-plugin.ts). https://kubernetes.io/docs/concepts/storage/storage-classes/
 * Source of its rules: pkg/registry/storage/storageclass.
 */
export const storageClassResource = defineResource<StorageClass>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'storageclasses', version: v1 },
  strategy: { returnsDeleted: true, metaRounds: ['whole', 'change'], validate: validateStorageClass, warnings: storageClassWarnings },
})
