import type { CSINode } from '../../../api/storage/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateCSINode } from './validation.ts'

const table: TableDefinition<CSINode> = {
  columns: [nameColumn, column('Drivers', 'Number of CSI drivers on the node.', 0, 'integer'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', (spec.drivers ?? []).length, age(metadata.creationTimestamp, now)],
}

const v1: Version<CSINode> = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'CSINode',
  names: { plural: 'csinodes', singular: 'csinode' },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.CSINode'),
  table,
  subresources: { status: { since: '1.37', verbs: STATUS_VERBS, strategy: statusAloneStrategy<CSINode>({}) } },
}

/**
 * The CSI drivers of a node. Its kubelet writes it, and it has the name of the node.
 * Source of its rules: pkg/registry/storage/csinode.
 */
export const csiNodeResource = defineResource<CSINode>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'csinodes', version: v1 },
  strategy: {
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    metaRounds: ['whole', 'whole'],
    resetFields: STATUS_FIELDS,
    prepare(next, old, { features }) {
      if (isSince(features.release, '1.37')) withholdStatus(next, old)
    },
    validate: validateCSINode,
  },
})
