import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { flowControlStatusStrategy, flowControlStrategy } from '../strategies.ts'
import { flowControlVersion } from '../version.ts'
import { validateFlowSchema } from './validation.ts'

/** As they are tried for a request: by precedence, then by name. */
function order(a: KubeObject, b: KubeObject): number {
  const [name = '', other = ''] = [a.metadata.name, b.metadata.name]
  return (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0) || (name < other ? -1 : name > other ? 1 : 0)
}

const table: TableDefinition = {
  order,
  columns: [
    nameColumn,
    column('PriorityLevel', 'The level at which its requests are queued.'),
    column('MatchingPrecedence', 'Which of several schemas that match is taken: the lowest.'),
    column('DistinguisherMethod', 'What makes two requests belong to one flow.'),
    ageColumn,
    column('MissingPL', 'Whether there is no such level.'),
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec?.priorityLevelConfiguration?.name ?? '',
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? '<none>',
    age(metadata.creationTimestamp, now),
    (status?.conditions ?? []).find(({ type }: { type?: string }) => type === 'Dangling')?.status ?? '?',
  ],
}

const v1: Version = {
  ...flowControlVersion('FlowSchema', { plural: 'flowschemas', singular: 'flowschema' }),
  setDefaults({ spec }) {
    if (spec) spec.matchingPrecedence ||= 1000
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: flowControlStatusStrategy } },
}

export const flowSchemaResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'flowschemas', version: v1 },
  strategy: flowControlStrategy(validateFlowSchema),
}
