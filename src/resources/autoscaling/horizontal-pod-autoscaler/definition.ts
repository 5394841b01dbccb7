import { defineResource } from '../../../catalog/define.ts'
import type { Strategy, Version } from '../../../catalog/definition.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '../v1.types.ts'
import type { HorizontalPodAutoscaler } from '../v2.types.ts'
import { setHorizontalPodAutoscalerDefaults } from './defaults.ts'
import { horizontalPodAutoscalerTable } from './table.ts'
import { toV1, toV2 } from './v1/convert.ts'
import { validateHorizontalPodAutoscaler, validateHorizontalPodAutoscalerStatus } from './validation.ts'

const horizontalPodAutoscalerStrategy: Strategy<HorizontalPodAutoscaler> = {
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    next.status = old ? old.status : { desiredReplicas: 0, currentMetrics: null }
  },
  validate: validateHorizontalPodAutoscaler,
}

const horizontalPodAutoscalerStatusStrategy: Strategy<HorizontalPodAutoscaler> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate: validateHorizontalPodAutoscalerStatus,
}

const v2: Version<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  name: 'v2',
  kind: 'HorizontalPodAutoscaler',
  names: { plural: 'horizontalpodautoscalers', singular: 'horizontalpodautoscaler', shortNames: ['hpa'] },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('autoscalingv2.HorizontalPodAutoscaler'),
  setDefaults: setHorizontalPodAutoscalerDefaults,
  table: horizontalPodAutoscalerTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: horizontalPodAutoscalerStatusStrategy } },
}

/** Has fields for one metric only; the rest of v2 is in annotations. Printed as v2 is. */
const v1: Version<HorizontalPodAutoscalerV1, HorizontalPodAutoscaler> = {
  group: v2.group,
  name: 'v1',
  kind: v2.kind,
  names: v2.names,
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('autoscaling.HorizontalPodAutoscaler'),
  toHub: toV2,
  fromHub: toV1,
  setDefaults(object) {
    object.spec.minReplicas ??= 1
  },
  subresources: { status: { verbs: STATUS_VERBS, strategy: horizontalPodAutoscalerStatusStrategy } },
}

/**
 * v2 is the hub version; v1 is converted, with annotations for what it has no fields for.
 * Source of its rules: pkg/registry/autoscaling/horizontalpodautoscaler.
 */
export const horizontalPodAutoscalerResource = defineResource<HorizontalPodAutoscaler>({
  scope: 'Namespaced',
  versions: [v2, v1],
  hub: v2,
  storage: { prefix: 'horizontalpodautoscalers', version: v2 },
  strategy: horizontalPodAutoscalerStrategy,
})
