import type { VolumeAttachment } from '../../../api/storage/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { defaultSources } from '../../core/volume/source-defaults.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMembers, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateVolumeAttachment } from './validation.ts'

/** Metadata that writes to `status` keep. */
const KEPT_META = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** Strategy of the resource itself. A new attachment has an empty status, and updates keep the status. */
const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  returnsDeleted: true,
  allowUnconditionalUpdate: false,
  metaRounds: ['whole', 'whole'],
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    next.status = old ? old.status : { attached: false }
  },
  validate: validateVolumeAttachment,
}

const volumeAttachmentStatusStrategy: Strategy<VolumeAttachment> = {
  declaredRules: true,
  allowUnconditionalUpdate: false,
  metaRounds: ['whole', 'whole'],
  resetFields: [['metadata'], ['spec']],
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMembers(next.metadata, old.metadata, ...KEPT_META)
  },
  validate: validateVolumeAttachment,
}

const table: TableDefinition<VolumeAttachment> = {
  columns: [
    nameColumn,
    { name: 'Attacher', type: 'string', format: 'name', description: 'Driver that attaches the volume.' },
    column('PV', 'Name of the persistent volume.'),
    column('Node', 'Name of the node.'),
    column('Attached', 'Whether the volume is attached.', 0, 'boolean'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec.attacher,
    spec.source.persistentVolumeName ?? '',
    spec.nodeName,
    status.attached,
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<VolumeAttachment> = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'VolumeAttachment',
  names: { plural: 'volumeattachments', singular: 'volumeattachment' },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.VolumeAttachment'),
  setDefaults({ spec }) {
    const inline = spec.source.inlineVolumeSpec
    if (!inline) return
    if (inline.hostPath) inline.hostPath.type ??= ''
    defaultSources(inline)
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: volumeAttachmentStatusStrategy } },
}

/**
 * A request to attach a volume to a node, and its result. A controller writes the spec, which is immutable, and the
 * driver's attacher writes the status. Source of its rules: pkg/registry/storage/volumeattachment.
 */
export const volumeAttachmentResource = defineResource<VolumeAttachment>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'volumeattachments', version: v1 },
  strategy: volumeAttachmentStrategy,
})
