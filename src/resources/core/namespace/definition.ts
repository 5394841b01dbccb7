import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { finalizeStrategy, NAME_LABEL, namespaceStrategy, statusStrategy } from './strategy.ts'

function setDefaults(namespace: KubeObject): void {
  const { metadata } = namespace
  // A name still to be generated is labelled when it is known: see the strategy's canonicalize.
  if (metadata.name && metadata.labels?.[NAME_LABEL] !== metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name }
  namespace.status ??= {}
  namespace.status.phase ??= 'Active'
}

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'Namespace',
  names: { plural: 'namespaces', singular: 'namespace', shortNames: ['ns'] },
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  schema: types.type('core.Namespace'),
  setDefaults,
  table: {
    columns: [nameColumn, column('Status', 'Active, or Terminating while it is being emptied.'), ageColumn],
    cells: ({ metadata, status }, now) => [metadata.name ?? '', status?.phase ?? '', age(metadata.creationTimestamp, now)],
  },
  selectableFields: { 'status.phase': namespace => namespace.status?.phase ?? '' },
  subresources: {
    status: { verbs: STATUS_VERBS, strategy: { ...statusStrategy, resetFields: SPEC_FIELDS } },
    finalize: { verbs: ['update'], strategy: { ...finalizeStrategy, resetFields: STATUS_FIELDS } },
  },
}

export const namespaceResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'namespaces', version: v1 },
  strategy: namespaceStrategy,
}
