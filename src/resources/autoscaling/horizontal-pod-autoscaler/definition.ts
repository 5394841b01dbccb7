import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '../../../api/autoscaling/v1.types.ts'
import type { HorizontalPodAutoscaler } from '../../../api/autoscaling/v2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { DEFAULT_RELEASE } from '../../../lifecycle/release.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { setHorizontalPodAutoscalerDefaults } from './defaults.ts'
import { horizontalPodAutoscalerTableIn } from './table.ts'
import { autoscalerToV1, toV2 } from './v1/convert.ts'
import { fromV2beta1, type HorizontalPodAutoscalerV2beta1, setV2beta1Defaults, toV2beta1 } from './v2beta1.ts'
import { fromV2beta2, type HorizontalPodAutoscalerV2beta2, toV2beta2 } from './v2beta2.ts'
import { validateHorizontalPodAutoscaler, validateHorizontalPodAutoscalerStatus } from './validation.ts'

const horizontalPodAutoscalerStrategy: Strategy<HorizontalPodAutoscaler> = {
  resetFields: STATUS_FIELDS,
  prepare(next, old, { features }) {
    next.status = old ? old.status : { desiredReplicas: 0, currentMetrics: null }
    return features.enabled('HPAGeneration') ? prepareGeneration(next, old) : undefined
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

const every = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  names: { plural: 'horizontalpodautoscalers', singular: 'horizontalpodautoscaler', shortNames: ['hpa'] },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  subresources: { status: { verbs: STATUS_VERBS, strategy: horizontalPodAutoscalerStatusStrategy } },
}

const v2: Version<HorizontalPodAutoscaler> = {
  ...every,
  name: 'v2',
  schema: types.type('autoscalingv2.HorizontalPodAutoscaler'),
  setDefaults: setHorizontalPodAutoscalerDefaults,
  table: horizontalPodAutoscalerTableIn(DEFAULT_RELEASE),
  tableIn: horizontalPodAutoscalerTableIn,
}

/**
 * v1 has fields for one metric only; other values of v2 are in annotations. Its table is that of v2, as for all
 * versions.
 */
const v1: Version<HorizontalPodAutoscalerV1, HorizontalPodAutoscaler> = {
  ...every,
  name: 'v1',
  schema: types.type('autoscaling.HorizontalPodAutoscaler'),
  toHub: toV2,
  fromHub: autoscalerToV1,
  setDefaults(object) {
    object.spec.minReplicas ??= 1
  },
}

/** v2beta1 has metrics in the form of v1's annotations; the behavior is in an annotation. Served until 1.24. */
const v2beta1: Version<HorizontalPodAutoscalerV2beta1, HorizontalPodAutoscaler> = {
  ...every,
  name: 'v2beta1',
  schema: types.type('autoscalingV2beta1.HorizontalPodAutoscaler'),
  toHub: fromV2beta1,
  fromHub: toV2beta1,
  setDefaults: setV2beta1Defaults,
}

/** v2beta2 has the fields of v2. Served until 1.25. */
const v2beta2: Version<HorizontalPodAutoscalerV2beta2, HorizontalPodAutoscaler> = {
  ...every,
  name: 'v2beta2',
  schema: types.type('autoscalingV2beta2.HorizontalPodAutoscaler'),
  toHub: fromV2beta2,
  fromHub: toV2beta2,
  setDefaults: setHorizontalPodAutoscalerDefaults,
}

/**
 * Scales a workload by metrics. v2 is the hub version; v1 and v2beta1 keep values without fields in annotations.
 * Source of its rules: pkg/registry/autoscaling/horizontalpodautoscaler.
 */
export const horizontalPodAutoscalerResource = defineResource<HorizontalPodAutoscaler>({
  scope: 'Namespaced',
  versions: [v2, v1, v2beta1, v2beta2],
  hub: v2,
  storage: { prefix: 'horizontalpodautoscalers', version: v2 },
  strategy: horizontalPodAutoscalerStrategy,
})
