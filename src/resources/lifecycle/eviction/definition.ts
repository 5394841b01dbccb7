import type { Eviction } from '../../../api/lifecycle/v1alpha1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { NAME_AND_AGE } from '../../shared/columns.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateTarget } from '../rules.ts'
import { validateEvictionStatus } from './validation.ts'

const v1alpha1: Version<Eviction> = {
  group: 'lifecycle.k8s.io',
  name: 'v1alpha1',
  kind: 'Eviction',
  names: { plural: 'evictions', singular: 'eviction' },
  verbs: STANDARD_VERBS,
  schema: types.type('lifecycle.Eviction'),
  table: NAME_AND_AGE,
  subresources: {
    status: {
      verbs: STATUS_VERBS,
      strategy: statusAloneStrategy<Eviction>({
        allowUnconditionalUpdate: false,
        validate: (next, old, { now }) => validateEvictionStatus(next.status, old?.status ?? {}, now),
      }),
    },
  },
}

/**
 * The eviction of a pod by its responders, which follow each other by priority. Exists since 1.37.
 * Source of its rules: pkg/registry/lifecycle/eviction.
 */
export const evictionResource = defineResource<Eviction>({
  scope: 'Namespaced',
  versions: [v1alpha1],
  hub: v1alpha1,
  storage: { prefix: 'evictions', version: v1alpha1 },
  strategy: {
    allowUnconditionalUpdate: false,
    resetFields: STATUS_FIELDS,
    prepare(next, old) {
      withholdStatus(next, old)
      return prepareGeneration(next, old)
    },
    validate: ({ spec }, old) => validateTarget(spec.target, old?.spec.target, fieldPath('spec', 'target')),
  },
})
