import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { column } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import type { StorageVersionMigration } from '../v1alpha1.types.ts'
import { validateMigration, validateMigrationStatus } from './validation.ts'

const table: TableDefinition<StorageVersionMigration> = {
  columns: [column('Name', 'Name of the object.'), column('Resource', 'The resource whose objects are written again.')],
  cells({ metadata, spec }) {
    const { resource = '', version = '', group = '' } = spec.resource
    return [metadata.name ?? '', `${resource}.${version}.${group}`]
  },
}

const v1alpha1: Version<StorageVersionMigration> = {
  group: 'storagemigration.k8s.io',
  name: 'v1alpha1',
  kind: 'StorageVersionMigration',
  names: { plural: 'storageversionmigrations', singular: 'storageversionmigration' },
  verbs: STANDARD_VERBS,
  schema: types.type('storagemigration.StorageVersionMigration'),
  listSchema: types.type('storagemigration.StorageVersionMigrationList'),
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: statusAloneStrategy({ allowUnconditionalUpdate: false, validate: validateMigrationStatus }) } },
}

/**
 * Asks a controller, which this server is not, to write all objects of a resource again. Off unless it is asked for.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/storage-version-migration-v1alpha1/
 * Source of its rules: pkg/registry/storagemigration/storagemigration.
 */
export const storageVersionMigrationResource = defineResource<StorageVersionMigration>({
  scope: 'Cluster',
  versions: [v1alpha1],
  hub: v1alpha1,
  storage: { prefix: 'storageversionmigrations', version: v1alpha1 },
  strategy: {
    allowUnconditionalUpdate: false,
    revalidatesMeta: true,
    resetFields: STATUS_FIELDS,
    prepare: (next, old) => withholdStatus(next, old),
    validate: validateMigration,
  },
})
