import type { Strategy } from '../../../catalog/definition.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { prepareCreate, prepareUpdate } from '../shared/generation.ts'
import { hostNameWarnings, templateWarnings } from '../shared/template.ts'
import { validateReplicaSet, validateReplicaStatus } from './validation.ts'

export const replicaSetStrategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  resetFields: [['status']],
  prepare(next, old) {
    dropDisabledTemplateFields(next.spec.template, old?.spec.template)
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, () => ({ replicas: 0 }))
  },
  validate: validateReplicaSet,
  warnings: (next, old) => [...hostNameWarnings(next, old), ...templateWarnings(next, old)],
}

export const replicaSetStatusStrategy: Strategy = {
  resetFields: [['spec']],
  prepare(next, old) {
    if (old) next.spec = old.spec
  },
  validate: next => validateReplicaStatus(next),
  warnings: () => [],
}
