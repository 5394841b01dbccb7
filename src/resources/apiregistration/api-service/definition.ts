import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { apiServiceStatusStrategy, apiServiceStrategy } from './strategy.ts'

/** `True`, or why not. */
function availableCell(status: KubeObject['spec']): string {
  const condition = (status?.conditions ?? []).find(({ type }: { type: string }) => type === 'Available')
  if (!condition) return 'Unknown'
  return condition.status === 'True' || !condition.reason ? condition.status : `${condition.status} (${condition.reason})`
}

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Service', 'The service of the server that serves the version, or Local.'),
    column('Available', 'Whether the version can be had.'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local',
    availableCell(status),
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version = {
  group: 'apiregistration.k8s.io',
  name: 'v1',
  kind: 'APIService',
  names: { plural: 'apiservices', singular: 'apiservice' },
  categories: ['api-extensions'],
  verbs: STANDARD_VERBS,
  schema: types.type('apiregistration.APIService'),
  setDefaults({ spec }) {
    if (spec?.service) spec.service.port ??= 443
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: apiServiceStatusStrategy } },
}

export const apiServiceResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'apiregistration.k8s.io/apiservices', version: v1 },
  strategy: apiServiceStrategy,
}
