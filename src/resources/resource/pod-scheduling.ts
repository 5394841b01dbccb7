import type { TypedObject } from '../../api/meta/object.ts'
import type { TableDefinition, Version } from '../../catalog/definition.ts'
import type { Strategy } from '../../catalog/strategy.ts'
import { age } from '../../meta/age.ts'
import { duplicate, type FieldError } from '../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../shared/status-metadata.ts'
import { SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../shared/strategy-parts.ts'

/** Fields of PodSchedulingContext in all versions, from 1.26 to 1.31. */
interface SchedulingContext extends TypedObject {
  spec: { potentialNodes?: string[]; selectedNode?: string }
  status: { resourceClaims?: { name?: string; unsuitableNodes?: string[] }[] }
}

/** Validates names of nodes, with the messages of a release. */
export type ValidateNodes = (nodes: readonly string[] | undefined, path: FieldPath) => FieldError[]

const table: TableDefinition<SchedulingContext> = {
  columns: [nameColumn, column('SelectedNode', 'Node that the scheduler selected.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec.selectedNode ?? '', age(metadata.creationTimestamp, now)],
}

/** Upstream's path of the claims is `status.claims`. */
function validateStatus({ status: { resourceClaims = [] } }: SchedulingContext, validateNodes: ValidateNodes): FieldError[] {
  const seen = new Set<string>()
  return resourceClaims.flatMap(({ name = '', unsuitableNodes }, i) => {
    const at = fieldPath('status', 'claims').index(i)
    const again = seen.has(name) ? [duplicate(at, name)] : []
    seen.add(name)
    return [...validateNodes(unsuitableNodes, at.child('unsuitableNodes')), ...again]
  })
}

/** Validates the nodes that the scheduler proposes. `validateNodes` is that of the version, whose limits differ. */
export const validatePotentialNodes = ({ spec }: SchedulingContext, validateNodes: ValidateNodes): FieldError[] =>
  validateNodes(spec.potentialNodes, fieldPath('spec', 'potentialNodes'))

/** Fields that versions of PodSchedulingContext have in common: the table, and the status subresource. */
export const schedulingParts = <T extends SchedulingContext>(validateNodes: ValidateNodes): Pick<Version<T>, 'table' | 'subresources'> => ({
  table,
  subresources: {
    status: {
      verbs: STATUS_VERBS,
      strategy: { ...statusAloneStrategy<T>({ validate: next => validateStatus(next, validateNodes) }), resetFields: SPEC_FIELDS },
    },
  },
})

/** Strategy of PodSchedulingContext with the validation of a version. */
export const schedulingStrategy = <T extends SchedulingContext>(validate: Strategy<T>['validate']): Strategy<T> => ({
  metaRounds: ['change', 'whole'],
  resetFields: STATUS_FIELDS,
  prepare: (next, old) => withholdStatus(next, old),
  ...(validate && { validate }),
})
