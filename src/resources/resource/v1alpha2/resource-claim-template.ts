import type { ResourceClaimTemplate } from '../../../api/resource/v1alpha2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Steps } from '../../../lib/steps.ts'
import { age } from '../../../meta/age.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateTemplateMeta } from '../../core/volume/claim-template.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { setClaimDefaults, validateClaimSpec } from './claim-spec.ts'
import { changedSpec, withUpdateErrors } from './update-errors.ts'
import { alphaVersion } from './version.ts'

function* validateClaimTemplate({ spec }: ResourceClaimTemplate, old: ResourceClaimTemplate | undefined): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const errors = [...validateTemplateMeta(spec.metadata, path.child('metadata')), ...validateClaimSpec(spec.spec, path.child('spec'))]
  return withUpdateErrors(errors, old !== undefined, yield* changedSpec('resourceV1alpha2.ResourceClaimTemplateSpec', spec, old))
}

const table: TableDefinition<ResourceClaimTemplate> = {
  columns: [
    nameColumn,
    column('ResourceClassName', 'Class of the resource.'),
    column('AllocationMode', 'When the resource is allocated: Immediate or WaitForFirstConsumer.'),
    ageColumn,
  ],
  cells: ({ metadata, spec: { spec } }, now) => [
    metadata.name ?? '',
    spec.resourceClassName,
    spec.allocationMode ?? '',
    age(metadata.creationTimestamp, now),
  ],
}

const version = (name: 'v1alpha1' | 'v1alpha2'): Version<ResourceClaimTemplate> => ({
  ...alphaVersion(name, 'ResourceClaimTemplate', { plural: 'resourceclaimtemplates', singular: 'resourceclaimtemplate' }),
  setDefaults: ({ spec }) => setClaimDefaults(spec.spec),
  table,
})

const v1alpha2 = version('v1alpha2')

/**
 * Template of the claims that are created for pods. It is immutable.
 * Source of its rules: pkg/registry/resource/resourceclaimtemplate, 1.26 to 1.30.
 */
export const classBasedClaimTemplateResource = defineResource<ResourceClaimTemplate>({
  scope: 'Namespaced',
  versions: [v1alpha2, version('v1alpha1')],
  hub: v1alpha2,
  storage: { prefix: 'resourceclaimtemplates', version: v1alpha2 },
  strategy: { metaRounds: ['change', 'whole'], returnsDeleted: true, validate: validateClaimTemplate },
})
