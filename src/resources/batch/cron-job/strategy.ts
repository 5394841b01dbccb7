import type { Strategy } from '../../../catalog/definition.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { prepareCreate, prepareUpdate } from '../../apps/shared/generation.ts'
import { hostNameWarnings } from '../../apps/shared/template.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { SPEC_FIELDS, STATUS_FIELDS } from '../../strategy-parts.ts'
import { jobSpecWarnings } from '../job/warnings.ts'
import { validateCronJob } from './validation.ts'

const JOB_SPEC = fieldPath('spec', 'jobTemplate', 'spec')
const ZONE_IN_SCHEDULE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

export const cronJobStrategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    dropDisabledTemplateFields(next.spec.jobTemplate.spec.template, old?.spec.jobTemplate.spec.template)
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, () => ({}))
  },
  validate: validateCronJob,
  warnings(next, old) {
    const warnings = hostNameWarnings(next, old)
    if (!old || next.metadata.generation !== old.metadata.generation) {
      warnings.push(...jobSpecWarnings(next.spec.jobTemplate.spec, old?.spec.jobTemplate.spec, JOB_SPEC))
    }
    if (old && next.spec.schedule.includes('TZ')) warnings.push(ZONE_IN_SCHEDULE)
    return warnings
  },
}

export const cronJobStatusStrategy: Strategy = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) next.spec = old.spec
  },
  validate: () => [],
  warnings: () => [],
}
