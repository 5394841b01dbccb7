import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { capacityWarnings } from '../warnings.ts'
import { validateCSIStorageCapacity } from './validation.ts'

const table: TableDefinition = {
  columns: [nameColumn, column('StorageClassName', 'The class that is meant.'), column('Capacity', 'How much there is.')],
  cells: ({ metadata, storageClassName, capacity }) => [metadata.name ?? '', storageClassName ?? '', capacity ?? '<unset>'],
}

const v1: Version = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'CSIStorageCapacity',
  names: { plural: 'csistoragecapacities', singular: 'csistoragecapacity' },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.CSIStorageCapacity'),
  table,
}

export const csiStorageCapacityResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'csistoragecapacities', version: v1 },
  strategy: { allowUnconditionalUpdate: false, revalidatesMeta: true, validate: validateCSIStorageCapacity, warnings: capacityWarnings },
}
