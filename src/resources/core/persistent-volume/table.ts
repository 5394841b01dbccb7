import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { printAccessModes, storageClassOf } from '../storage-class.ts'

export const persistentVolumeTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Capacity', 'Size of the volume.'),
    column('Access Modes', 'How it may be mounted.'),
    column('Reclaim Policy', 'What becomes of it when its claim is gone.'),
    column('Status', 'Whether it is available, bound to a claim, released by it or failed.'),
    column('Claim', 'The claim it is bound to.'),
    column('StorageClass', 'Class it belongs to.'),
    column('VolumeAttributesClass', 'Class of its attributes.'),
    column('Reason', 'Why it failed.'),
    ageColumn,
    column('VolumeMode', 'Filesystem or raw block device.', 1),
  ],
  cells(volume, now) {
    const { metadata, spec = {}, status = {} } = volume
    const claim = spec.claimRef
    return [
      metadata.name ?? '',
      spec.capacity?.storage ?? '0',
      printAccessModes(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
      storageClassOf(volume),
      spec.volumeAttributesClassName ?? '<unset>',
      status.reason ?? '',
      age(metadata.creationTimestamp, now),
      spec.volumeMode ?? '<unset>',
    ]
  },
}
