import type { Strategy } from '../../../catalog/definition.ts'
import { SPEC_FIELDS, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { prepareCreate, prepareUpdate } from '../../shared/workload/generation.ts'
import { CLASS_ANNOTATION } from './class-annotation.ts'
import { validateIngress, validateIngressStatus } from './validation.ts'

export const ingressStrategy: Strategy = {
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, { loadBalancer: {} })
  },
  validate: validateIngress,
  warnings(next, old) {
    if (old || next.metadata.annotations?.[CLASS_ANNOTATION] === undefined || next.spec?.ingressClassName !== undefined) return []
    return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
  },
}

export const ingressStatusStrategy: Strategy = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) next.spec = old.spec
  },
  validate: validateIngressStatus,
}
