import type { ResourceClass } from '../../../api/resource/v1alpha2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateNodeSelector } from '../../core/pod-spec/affinity.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { validateDriverName } from '../names.ts'
import { validateClassParametersRef } from './references.ts'
import { withUpdateErrors } from './update-errors.ts'
import { alphaVersion } from './version.ts'

function validateClass({ driverName, parametersRef, suitableNodes }: ResourceClass, old: ResourceClass | undefined): FieldError[] {
  const errors = [
    ...validateDriverName(driverName, fieldPath('driverName')),
    ...validateClassParametersRef(parametersRef, fieldPath('parametersRef')),
    ...(suitableNodes ? validateNodeSelector(suitableNodes, false, fieldPath('suitableNodes')) : []),
  ]
  return withUpdateErrors(errors, old !== undefined)
}

const table: TableDefinition<ResourceClass> = {
  columns: [nameColumn, column('DriverName', 'Driver that allocates resources of the class.'), ageColumn],
  cells: ({ metadata, driverName }, now) => [metadata.name ?? '', driverName, age(metadata.creationTimestamp, now)],
}

const version = (name: 'v1alpha1' | 'v1alpha2'): Version<ResourceClass> => ({
  ...alphaVersion(name, 'ResourceClass', { plural: 'resourceclasses', singular: 'resourceclass' }),
  table,
})

const v1alpha2 = version('v1alpha2')

/**
 * A driver and its parameters, to which claims refer. 1.30 is the last release that has it; DeviceClass replaced it.
 * Source of its rules: pkg/registry/resource/resourceclass.
 */
export const resourceClassResource = defineResource<ResourceClass>({
  scope: 'Cluster',
  versions: [v1alpha2, version('v1alpha1')],
  hub: v1alpha2,
  storage: { prefix: 'resourceclasses', version: v1alpha2 },
  strategy: { metaRounds: ['change', 'whole'], validate: validateClass },
})
