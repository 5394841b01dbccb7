import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { volumeAttachmentStatusStrategy, volumeAttachmentStrategy } from './strategy.ts'

const table: TableDefinition = {
  columns: [
    nameColumn,
    { name: 'Attacher', type: 'string', format: 'name', description: 'The driver that attaches.' },
    column('PV', 'The persistent volume.'),
    column('Node', 'The node.'),
    column('Attached', 'Whether it is attached.', 0, 'boolean'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec?.attacher ?? '',
    spec?.source?.persistentVolumeName ?? '',
    spec?.nodeName ?? '',
    status?.attached ?? false,
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'VolumeAttachment',
  names: { plural: 'volumeattachments', singular: 'volumeattachment' },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.VolumeAttachment'),
  setDefaults({ spec }) {
    const inline = spec?.source?.inlineVolumeSpec
    if (inline?.hostPath) inline.hostPath.type ??= ''
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: volumeAttachmentStatusStrategy } },
}

export const volumeAttachmentResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'volumeattachments', version: v1 },
  strategy: volumeAttachmentStrategy,
}
