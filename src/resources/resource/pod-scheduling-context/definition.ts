import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { duplicate, type FieldError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateSet } from '../lists.ts'
import { validateClassName } from '../names.ts'
import type { PodSchedulingContext } from '../v1alpha3.types.ts'
import { resourceVersion } from '../version.ts'

const MOST_NODES = 128

/** Names of nodes, which are subdomains, each once. */
const validateNodes = (nodes: readonly string[] | undefined, path: FieldPath): FieldError[] =>
  validateSet(nodes, path, { max: MOST_NODES, check: validateClassName, keyOf: name => name })

const validateContext = ({ spec }: PodSchedulingContext): FieldError[] => validateNodes(spec.potentialNodes, fieldPath('spec', 'potentialNodes'))

/** Upstream's path of the claims is `status.claims`. */
function validateStatus({ status: { resourceClaims = [] } }: PodSchedulingContext): FieldError[] {
  const seen = new Set<string>()
  return resourceClaims.flatMap(({ name, unsuitableNodes }, i) => {
    const at = fieldPath('status', 'claims').index(i)
    const again = seen.has(name) ? [duplicate(at, name)] : []
    seen.add(name)
    return [...validateNodes(unsuitableNodes, at.child('unsuitableNodes')), ...again]
  })
}

const table: TableDefinition<PodSchedulingContext> = {
  columns: [nameColumn, column('SelectedNode', 'The node that the scheduler would like.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec.selectedNode ?? '', age(metadata.creationTimestamp, now)],
}

const v1alpha3: Version<PodSchedulingContext> = {
  ...resourceVersion('PodSchedulingContext', { plural: 'podschedulingcontexts', singular: 'podschedulingcontext' }, 'v1alpha3'),
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: { ...statusAloneStrategy({ validate: validateStatus }), resetFields: [['spec']] } } },
}

/**
 * What the scheduler and the controllers of drivers tell each other about the node of a pod. 1.31 is the last release that has it, on request.
 * https://kep.k8s.io/3063
 * Source of its rules: pkg/registry/resource/podschedulingcontext.
 */
export const podSchedulingContextResource = defineResource<PodSchedulingContext>({
  scope: 'Namespaced',
  versions: [v1alpha3],
  hub: v1alpha3,
  storage: { prefix: 'podschedulingcontexts', version: v1alpha3 },
  strategy: {
    revalidatesMeta: true,
    resetFields: STATUS_FIELDS,
    prepare: (next, old) => withholdStatus(next, old),
    validate: validateContext,
  },
})
