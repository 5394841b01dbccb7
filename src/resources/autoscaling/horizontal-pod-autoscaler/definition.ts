import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setHorizontalPodAutoscalerDefaults } from './defaults.ts'
import { horizontalPodAutoscalerStatusStrategy, horizontalPodAutoscalerStrategy } from './strategy.ts'
import { horizontalPodAutoscalerTable } from './table.ts'
import { toV1, toV2 } from './v1/convert.ts'

const v2: Version = {
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
const v1: Version = {
  group: v2.group,
  name: 'v1',
  kind: v2.kind,
  names: v2.names,
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('autoscaling.HorizontalPodAutoscaler'),
  toHome: toV2,
  fromHome: toV1,
  setDefaults(object) {
    object.spec ??= {}
    object.spec.minReplicas ??= 1
  },
  subresources: { status: { verbs: STATUS_VERBS, strategy: horizontalPodAutoscalerStatusStrategy } },
}

export const horizontalPodAutoscalerResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v2, v1],
  home: v2,
  storage: { prefix: 'horizontalpodautoscalers', version: v2 },
  strategy: horizontalPodAutoscalerStrategy,
}
