import type { FlowSchema } from '../../../api/flowcontrol/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { flowControlStatusStrategy, flowControlStrategy } from '../strategies.ts'
import { flowControlBetas, flowControlVersion } from '../version.ts'
import { validateFlowSchema } from './validation.ts'

/** Compares schemas in matching order: by precedence, then by name. */
function order(a: FlowSchema, b: FlowSchema): number {
  const [name = '', other = ''] = [a.metadata.name, b.metadata.name]
  return a.spec.matchingPrecedence - b.spec.matchingPrecedence || (name < other ? -1 : name > other ? 1 : 0)
}

const table: TableDefinition<FlowSchema> = {
  order,
  columns: [
    nameColumn,
    column('PriorityLevel', 'Priority level of matching requests.'),
    column('MatchingPrecedence', 'Precedence among matching schemas. The lowest wins.'),
    column('DistinguisherMethod', 'How requests are assigned to flows.'),
    ageColumn,
    column('MissingPL', 'Whether the priority level does not exist.'),
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec.priorityLevelConfiguration.name,
    spec.matchingPrecedence,
    spec.distinguisherMethod?.type ?? '<none>',
    age(metadata.creationTimestamp, now),
    (status.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
}

const NAMES = { plural: 'flowschemas', singular: 'flowschema' }

const v1: Version<FlowSchema> = {
  ...flowControlVersion('FlowSchema', NAMES),
  setDefaults({ spec }) {
    spec.matchingPrecedence ||= 1000
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: flowControlStatusStrategy } },
}

/** The beta versions differ only in name. */
const betas: Version<FlowSchema>[] = flowControlBetas('FlowSchema', NAMES).map(version => ({ ...v1, ...version }))

/**
 * Assigns requests to a priority level. The mandatory schemas have fixed specs (bootstrap/mandatory.ts).
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#flowschema
 * Source of its rules: pkg/registry/flowcontrol/flowschema.
 */
export const flowSchemaResource = defineResource<FlowSchema>({
  scope: 'Cluster',
  versions: [v1, ...betas],
  hub: v1,
  storage: { prefix: 'flowschemas', version: v1 },
  strategy: flowControlStrategy(validateFlowSchema),
})
