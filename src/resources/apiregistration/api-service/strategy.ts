import type { Strategy } from '../../../catalog/definition.ts'
import { formatTime } from '../../../meta/time.ts'
import { statusAloneStrategy } from '../../shared/status-metadata.ts'
import { STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { validateApiService, validateApiServiceStatus } from './validation.ts'

const localCondition = (now: number): object => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: formatTime(now),
  reason: 'Local',
  message: 'Local APIServices are always available',
})

export const apiServiceStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  /** What a name must be follows from the spec, and is told by `validate`. */
  validateName: () => [],
  prepare(next, old, { now }) {
    next.status = old ? old.status : next.spec?.service ? {} : { conditions: [localCondition(now)] }
  },
  validate: validateApiService,
}

export const apiServiceStatusStrategy = statusAloneStrategy({ allowUnconditionalUpdate: false, validate: validateApiServiceStatus })
