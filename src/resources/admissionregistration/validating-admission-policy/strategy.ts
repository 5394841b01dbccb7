import type { Strategy } from '../../../catalog/definition.ts'
import { prepareCreate, prepareUpdate } from '../../apps/shared/generation.ts'
import { keepMetadata, SPEC_AND_METADATA_FIELDS } from '../../status-metadata.ts'
import { STATUS_FIELDS } from '../../strategy-parts.ts'
import { validatePolicyStatus } from './status-validation.ts'
import { validatePolicy } from './validation.ts'

export const policyStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, () => ({}))
  },
  validate: validatePolicy,
}

export const policyStatusStrategy: Strategy = {
  revalidatesMeta: false,
  resetFields: SPEC_AND_METADATA_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
  },
  validate: validatePolicyStatus,
}
