import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { validateVolumeAttributesClass } from './validation.ts'

const table: TableDefinition = {
  columns: [nameColumn, column('DriverName', 'The driver.'), ageColumn],
  cells: ({ metadata, driverName }, now) => [metadata.name ?? '', driverName ?? '', age(metadata.creationTimestamp, now)],
}

const v1beta1: Version = {
  group: 'storage.k8s.io',
  name: 'v1beta1',
  kind: 'VolumeAttributesClass',
  names: { plural: 'volumeattributesclasses', singular: 'volumeattributesclass', shortNames: ['vac'] },
  verbs: STANDARD_VERBS,
  schema: types.type('storagev1beta1.VolumeAttributesClass'),
  table,
}

/** Differs from v1beta1 in nothing but its name. */
const v1alpha1: Version = { ...v1beta1, name: 'v1alpha1', schema: types.type('storagev1alpha1.VolumeAttributesClass') }

export const volumeAttributesClassResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1beta1, v1alpha1],
  home: v1beta1,
  storage: { prefix: 'volumeattributesclasses', version: v1beta1 },
  strategy: { allowUnconditionalUpdate: false, revalidatesMeta: true, validate: validateVolumeAttributesClass },
}
