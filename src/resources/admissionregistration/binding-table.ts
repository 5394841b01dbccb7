import type { TableDefinition } from '../../catalog/definition.ts'
import { age } from '../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../shared/columns.ts'
import { paramRefCell } from './param-ref.ts'

/** How bindings to policies of either kind are printed. */
export const bindingTable: TableDefinition = {
  columns: [
    nameColumn,
    column('PolicyName', 'The policy that it puts into force.'),
    column('ParamRef', 'The objects that parameterize the policy.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec?.policyName ?? '', paramRefCell(spec?.paramRef), age(metadata.creationTimestamp, now)],
}
