import type { VolumeAttributesClass } from '../../../api/storage/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { isMemberExactly } from '../../../meta/empty-members.ts'
import { type FieldError, forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn, nameOfDefault } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { validateParameters, validateProvisioner } from '../parameters.ts'

/**
 * Validates a class. Unlike in a StorageClass, at least one parameter is required. Source: pkg/apis/storage/validation
 * in k8s.io/kubernetes.
 */
function validateVolumeAttributesClass(next: VolumeAttributesClass, old: VolumeAttributesClass | undefined): FieldError[] {
  const errors = [
    ...validateProvisioner(next.driverName, fieldPath('driverName')),
    ...validateParameters(next.parameters ?? {}, false, fieldPath('parameters')),
  ]
  if (!old) return errors
  const changed = (['driverName', 'parameters'] as const).filter(field => !isMemberExactly(next, old, field))
  // Upstream validates an updated object like a new one twice, and reports those errors twice.
  return [...errors, ...changed.map(field => forbidden(fieldPath(field), `updates to ${field} are forbidden.`)), ...errors]
}

const table: TableDefinition<VolumeAttributesClass> = {
  columns: [nameColumn, column('DriverName', 'Name of the driver.'), ageColumn],
  cells: ({ metadata, driverName }, now) => [metadata.name ?? '', driverName, age(metadata.creationTimestamp, now)],
}

/** Releases before 1.34 mark a default class, although no release uses one. */
const markingTable: TableDefinition<VolumeAttributesClass> = {
  ...table,
  cells: (object, now) => [
    nameOfDefault(object.metadata, 'volumeattributesclass.alpha.kubernetes.io/is-default-class'),
    ...table.cells(object, now).slice(1),
  ],
}

const v1: Version<VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'VolumeAttributesClass',
  names: { plural: 'volumeattributesclasses', singular: 'volumeattributesclass', shortNames: ['vac'] },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.VolumeAttributesClass'),
  table,
  tableIn: release => (isSince(release, '1.34') ? table : markingTable),
}

/** The older versions differ from v1 only in name. */
const v1beta1: Version<VolumeAttributesClass> = { ...v1, name: 'v1beta1', schema: types.type('storagev1beta1.VolumeAttributesClass') }
const v1alpha1: Version<VolumeAttributesClass> = { ...v1, name: 'v1alpha1', schema: types.type('storagev1alpha1.VolumeAttributesClass') }

/**
 * Attributes of volumes that can be changed while they are in use. Driver and parameters are immutable.
 * Source of its rules: pkg/registry/storage/volumeattributesclass.
 */
export const volumeAttributesClassResource = defineResource<VolumeAttributesClass>({
  scope: 'Cluster',
  versions: [v1, v1beta1, v1alpha1],
  hub: v1,
  storage: { prefix: 'volumeattributesclasses', version: v1beta1 },
  strategy: {
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    metaRounds: ['change', 'whole'],
    validate: validateVolumeAttributesClass,
  },
})
