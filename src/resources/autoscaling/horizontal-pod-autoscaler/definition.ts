import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../strategy-parts.ts'
import { types } from '../../types.ts'
import { setHorizontalPodAutoscalerDefaults } from './defaults.ts'
import { horizontalPodAutoscalerStatusStrategy, horizontalPodAutoscalerStrategy } from './strategy.ts'
import { horizontalPodAutoscalerTable } from './table.ts'

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

export const horizontalPodAutoscalerResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v2],
  home: v2,
  storage: { prefix: 'horizontalpodautoscalers', version: v2 },
  strategy: horizontalPodAutoscalerStrategy,
}
