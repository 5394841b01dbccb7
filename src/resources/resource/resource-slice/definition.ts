import type { Device, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { alphaSlice, betaSlice } from '../conversion.ts'
import { setTimeAdded } from '../taints.ts'
import { otherVersion, resourceVersion } from '../version.ts'
import { validateResourceSlice } from './validation.ts'

const devicesOf = ({ spec }: ResourceSlice): Device[] => spec.devices ?? []

const table: TableDefinition<ResourceSlice> = {
  columns: [
    nameColumn,
    column('Node', 'Node with the devices.'),
    column('Driver', 'Driver that offers the devices.'),
    column('Pool', 'Pool of the slice.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    spec.nodeName ?? '',
    spec.driver,
    spec.pool.name,
    age(metadata.creationTimestamp, now),
  ],
}

const selectableFields = {
  'spec.nodeName': ({ spec }: { spec: Pick<ResourceSlice['spec'], 'nodeName'> }) => spec.nodeName ?? '',
  'spec.driver': ({ spec }: { spec: Pick<ResourceSlice['spec'], 'driver'> }) => spec.driver,
  'spec.pool.name': ({ spec }: { spec: Pick<ResourceSlice['spec'], 'pool'> }) => spec.pool.name,
}

const selectableSince = { 'spec.pool.name': '1.37' } as const

const v1beta2: Version<ResourceSlice> = {
  ...resourceVersion('ResourceSlice', { plural: 'resourceslices', singular: 'resourceslice' }),
  table,
  selectableFields,
  selectableSince,
}

const v1 = otherVersion<ResourceSlice, ResourceSlice>(v1beta2, 'v1', { selectableFields, selectableSince })
const v1beta1 = otherVersion(v1beta2, 'v1beta1', { ...betaSlice, selectableFields, selectableSince })
const v1alpha3 = otherVersion(v1beta2, 'v1alpha3', { ...alphaSlice, selectableFields, selectableSince })

/**
 * Devices that a driver offers, on one node or for several. Slices with the same pool and generation form a pool; a new
 * generation replaces the previous one.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-slice-v1/ Source of its rules:
 * pkg/registry/resource/resourceslice.
 */
export const resourceSliceResource = defineResource<ResourceSlice>({
  scope: 'Cluster',
  versions: [v1, v1beta2, v1beta1, v1alpha3],
  hub: v1beta2,
  storage: { prefix: 'resourceslices', version: v1beta1 },
  strategy: {
    returnsDeleted: true,
    prepare(next, old, { now }) {
      for (const { taints = [] } of devicesOf(next)) for (const taint of taints) setTimeAdded(taint, now)
      return prepareGeneration(next, old)
    },
    validate: validateResourceSlice,
    warnings({ spec: { driver } }, _, { features }) {
      if (!isSince(features.release, '1.35') || driver === driver.toLowerCase()) return []
      return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`]
    },
  },
})
