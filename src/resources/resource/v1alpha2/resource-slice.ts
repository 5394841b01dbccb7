import type { ResourceSlice } from '../../../api/resource/v1alpha2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { validateDriverName } from '../names.ts'
import { validateModel } from './models.ts'
import { validateNamedResources } from './named-resources.ts'
import { validateNodeName } from './node-names.ts'
import { alphaVersion } from './version.ts'

function validateSlice(slice: ResourceSlice, old: ResourceSlice | undefined): FieldError[] {
  const { nodeName = '', driverName } = slice
  const node = fieldPath('nodeName')
  const driver = fieldPath('driverName')
  return [
    ...(nodeName === '' ? [] : validateNodeName(nodeName, node)),
    ...validateDriverName(driverName, driver),
    ...validateModel(slice, fieldPath(), validateNamedResources),
    ...(old
      ? [...validateImmutableField(nodeName, old.nodeName ?? '', node), ...validateImmutableField(driverName, old.driverName, driver)]
      : []),
  ]
}

const table: TableDefinition<ResourceSlice> = {
  columns: [nameColumn, column('Node', 'Node with the resources.'), column('Driver', 'Driver that offers the resources.'), ageColumn],
  cells: ({ metadata, nodeName, driverName }, now) => [
    metadata.name ?? '',
    nodeName ?? '',
    driverName,
    age(metadata.creationTimestamp, now),
  ],
}

const v1alpha2: Version<ResourceSlice> = {
  ...alphaVersion('v1alpha2', 'ResourceSlice', { plural: 'resourceslices', singular: 'resourceslice' }),
  table,
  selectableFields: { nodeName: ({ nodeName }) => nodeName ?? '', driverName: ({ driverName }) => driverName },
}

/**
 * Resources that a driver offers on a node, in 1.30.
 * Source of its rules: pkg/registry/resource/resourceslice.
 */
export const namedResourceSliceResource = defineResource<ResourceSlice>({
  scope: 'Cluster',
  versions: [v1alpha2],
  hub: v1alpha2,
  storage: { prefix: 'resourceslices', version: v1alpha2 },
  strategy: { metaRounds: ['change', 'whole'], validate: validateSlice },
})
