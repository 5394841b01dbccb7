import type { Strategy } from '../../../catalog/definition.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { keepMembers, SPEC_FIELDS, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { prepareCreate, prepareUpdate } from '../../shared/workload/generation.ts'
import { validatePodDisruptionBudget, validatePodDisruptionBudgetStatus } from './validation.ts'

export const podDisruptionBudgetStrategy: Strategy = {
  // Its name is checked as far as every name is, and no further.
  validateName: nameIsPathSegment,
  allowUnconditionalUpdate: false,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 })
  },
  validate: validatePodDisruptionBudget,
}

export const podDisruptionBudgetStatusStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate: validatePodDisruptionBudgetStatus,
}
