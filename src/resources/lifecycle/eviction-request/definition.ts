import type { EvictionRequest } from '../../../api/lifecycle/v1alpha1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { NAME_AND_AGE } from '../../shared/columns.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateEvictionRequest, validateEvictionRequestStatus } from './validation.ts'

const v1alpha1: Version<EvictionRequest> = {
  group: 'lifecycle.k8s.io',
  name: 'v1alpha1',
  kind: 'EvictionRequest',
  names: { plural: 'evictionrequests', singular: 'evictionrequest' },
  verbs: STANDARD_VERBS,
  schema: types.type('lifecycle.EvictionRequest'),
  table: NAME_AND_AGE,
  subresources: {
    status: {
      verbs: STATUS_VERBS,
      strategy: statusAloneStrategy<EvictionRequest>({ allowUnconditionalUpdate: false, validate: validateEvictionRequestStatus }),
    },
  },
}

/**
 * Asks for the eviction of a pod, or withdraws that. Exists since 1.37.
 * Source of its rules: pkg/registry/lifecycle/evictionrequest.
 */
export const evictionRequestResource = defineResource<EvictionRequest>({
  scope: 'Namespaced',
  versions: [v1alpha1],
  hub: v1alpha1,
  storage: { prefix: 'evictionrequests', version: v1alpha1 },
  strategy: {
    allowUnconditionalUpdate: false,
    resetFields: STATUS_FIELDS,
    prepare(next, old) {
      withholdStatus(next, old)
      return prepareGeneration(next, old)
    },
    validate: validateEvictionRequest,
  },
})
