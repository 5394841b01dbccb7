import type { Strategy } from '../../../catalog/definition.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { prepareCreate, prepareUpdate } from '../../apps/shared/generation.ts'
import { hostNameWarnings } from '../../apps/shared/template.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { SPEC_FIELDS, STATUS_FIELDS } from '../../strategy-parts.ts'
import { prepareSelector, takeLabels } from './generated-selector.ts'
import { validateJobStatusUpdate } from './status-validation.ts'
import { validateJob } from './validation.ts'
import { jobSpecWarnings } from './warnings.ts'

const SPEC = fieldPath('spec')

export const jobStrategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  defaultPropagation: 'orphan',
  orphanWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  prepare(next, old) {
    if (!old) prepareSelector(next)
    takeLabels(next)
    dropDisabledTemplateFields(next.spec.template, old?.spec.template)
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, () => ({}))
  },
  validate: validateJob,
  warnings(next, old) {
    if (old && next.metadata.generation === old.metadata.generation) return []
    return [...hostNameWarnings(next, old), ...jobSpecWarnings(next.spec, old?.spec, SPEC)]
  },
}

export const jobStatusStrategy: Strategy = {
  revalidatesMeta: false,
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    takeLabels(next)
    if (old) next.spec = old.spec
  },
  validate: validateJobStatusUpdate,
  warnings: () => [],
}
