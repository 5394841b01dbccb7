import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { prepareGeneration } from '../../networking/spec-generation.ts'
import { ageColumn, nameColumn } from '../../shared/columns.ts'
import { olderVersions, resourceVersion } from '../version.ts'
import { validateDeviceClass } from './validation.ts'

const table: TableDefinition = {
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, now) => [metadata.name ?? '', age(metadata.creationTimestamp, now)],
}

const v1beta2: Version = { ...resourceVersion('DeviceClass', { plural: 'deviceclasses', singular: 'deviceclass' }), table }
const [v1beta1, v1alpha3] = olderVersions(v1beta2)

export const deviceClassResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1beta2, v1beta1, v1alpha3],
  hub: v1beta2,
  storage: { prefix: 'deviceclasses', version: v1beta1 },
  strategy: { revalidatesMeta: true, returnsDeleted: true, prepare: prepareGeneration, validate: validateDeviceClass },
}
