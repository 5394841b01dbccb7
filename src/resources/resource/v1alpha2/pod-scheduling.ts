import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Strategy, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { duplicate, type FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMetadata, withholdStatus } from '../../shared/status-metadata.ts'
import { SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import type { PodSchedulingContext } from '../v1alpha2.types.ts'
import { validateNodeNames } from './node-names.ts'
import { alphaVersion } from './version.ts'

/** An update reports what is wrong twice, as upstream does. */
function validateContext({ spec }: PodSchedulingContext, old: PodSchedulingContext | undefined): FieldError[] {
  const errors = validateNodeNames(spec.potentialNodes, fieldPath('spec', 'potentialNodes'))
  return old ? [...errors, ...errors] : errors
}

/** Upstream's path of the claims is `status.claims`. */
function validateStatus({ status: { resourceClaims = [] } }: PodSchedulingContext): FieldError[] {
  const seen = new Set<string>()
  return resourceClaims.flatMap(({ name = '', unsuitableNodes }, i) => {
    const at = fieldPath('status', 'claims').index(i)
    const again = seen.has(name) ? [duplicate(at, name)] : []
    seen.add(name)
    return [...validateNodeNames(unsuitableNodes, at.child('unsuitableNodes')), ...again]
  })
}

const table: TableDefinition<PodSchedulingContext> = {
  columns: [nameColumn, column('SelectedNode', 'The node that the scheduler would like.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec.selectedNode ?? '', age(metadata.creationTimestamp, now)],
}

const statusStrategy: Strategy<PodSchedulingContext> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
  },
  validate: validateStatus,
}

const resourceOf = (version: Version<PodSchedulingContext>): ResourceDefinition =>
  defineResource<PodSchedulingContext>({
    scope: 'Namespaced',
    versions: [version],
    hub: version,
    storage: { prefix: version.names.plural, version },
    strategy: {
      revalidatesMeta: true,
      resetFields: STATUS_FIELDS,
      prepare: (next, old) => withholdStatus(next, old),
      validate: validateContext,
    },
  })

const shared = { table, subresources: { status: { verbs: STATUS_VERBS, strategy: statusStrategy } } }

/**
 * What the scheduler and drivers tell each other about the node of a pod, in 1.27 to 1.30.
 * Source of its rules: pkg/registry/resource/podschedulingcontext.
 */
export const alphaPodSchedulingContextResource = resourceOf({
  ...alphaVersion('v1alpha2', 'PodSchedulingContext', { plural: 'podschedulingcontexts', singular: 'podschedulingcontext' }),
  ...shared,
})

/** The same in 1.26. */
export const podSchedulingResource = resourceOf({
  ...alphaVersion('v1alpha1', 'PodScheduling', { plural: 'podschedulings', singular: 'podscheduling' }),
  ...shared,
})
