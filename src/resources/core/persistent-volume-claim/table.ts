import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { printAccessModes, storageClassOf } from '../storage-class.ts'

export const claimTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Status', 'Whether it is bound to a volume.'),
    column('Volume', 'The volume it is bound to.'),
    column('Capacity', 'Size of that volume.'),
    column('Access Modes', 'How that volume may be mounted.'),
    column('StorageClass', 'Class it asks for.'),
    column('VolumeAttributesClass', 'Class of attributes it asks for.'),
    ageColumn,
    column('VolumeMode', 'Filesystem or raw block device.', 1),
  ],
  cells(claim, now) {
    const { metadata, spec = {}, status = {} } = claim
    const bound = Boolean(spec.volumeName)
    return [
      metadata.name ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      spec.volumeName ?? '',
      bound ? (status.capacity?.storage ?? '0') : '',
      bound ? printAccessModes(status.accessModes) : '',
      storageClassOf(claim),
      spec.volumeAttributesClassName ?? '<unset>',
      age(metadata.creationTimestamp, now),
      spec.volumeMode ?? '<unset>',
    ]
  },
}
