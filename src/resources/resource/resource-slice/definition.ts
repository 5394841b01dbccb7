import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { prepareGeneration } from '../../networking/spec-generation.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { sliceConversion } from '../conversion.ts'
import { setTimeAdded } from '../taints.ts'
import { olderVersions, resourceVersion } from '../version.ts'
import { dropAlphaOfSlice } from './dropped.ts'
import { validateResourceSlice } from './validation.ts'

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Node', 'The node that has the devices.'),
    column('Driver', 'The driver that offers the devices.'),
    column('Pool', 'The pool that the slice is a part of.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    spec?.nodeName ?? '',
    spec?.driver ?? '',
    spec?.pool?.name ?? '',
    age(metadata.creationTimestamp, now),
  ],
}

const v1beta2: Version = {
  ...resourceVersion('ResourceSlice', { plural: 'resourceslices', singular: 'resourceslice' }),
  table,
  selectableFields: { 'spec.nodeName': ({ spec }) => spec?.nodeName ?? '', 'spec.driver': ({ spec }) => spec?.driver ?? '' },
}

const [v1beta1, v1alpha3] = olderVersions(v1beta2, sliceConversion)

export const resourceSliceResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1beta2, v1beta1, v1alpha3],
  hub: v1beta2,
  storage: { prefix: 'resourceslices', version: v1beta1 },
  strategy: {
    returnsDeleted: true,
    prepare(next, old, { now }) {
      for (const device of next.spec?.devices ?? []) for (const taint of device.taints ?? []) setTimeAdded(taint, now)
      prepareGeneration(next, old)
      dropAlphaOfSlice(next, old)
    },
    validate: validateResourceSlice,
  },
}
