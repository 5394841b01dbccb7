import type { Strategy } from '../../../catalog/definition.ts'
import { statusAloneStrategy } from '../../shared/status-metadata.ts'
import { STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { prepareCreate, prepareUpdate } from '../../shared/workload/generation.ts'
import { validatePolicyStatus } from './status-validation.ts'
import { validatePolicy } from './validation.ts'

export const policyStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, {})
  },
  validate: validatePolicy,
}

export const policyStatusStrategy = statusAloneStrategy({ allowUnconditionalUpdate: false, validate: validatePolicyStatus })
