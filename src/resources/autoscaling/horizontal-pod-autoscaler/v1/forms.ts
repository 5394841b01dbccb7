import type * as v1 from '../../../../api/autoscaling/v1.types.ts'
import type * as v2 from '../../../../api/autoscaling/v2.types.ts'
import { types } from '../../../../catalog/types.ts'
import type { StructSchema } from '../../../../schema/schema.ts'
import type { ListForm } from './annotation-lists.ts'
import { metricStatusToV1, metricStatusToV2 } from './metric-statuses.ts'
import { metricToV1, metricToV2 } from './metrics.ts'

const schemas = (type: string): { v1: StructSchema; v2: StructSchema } => ({
  v1: types.type(`autoscaling.${type}`),
  v2: types.type(`autoscalingv2.${type}`),
})
const unchangedItem = <T>(item: T): T => item

/** `spec.metrics`. v2beta1 has a field for them, in the form of v1's annotation. */
export const metricForm = (): ListForm<v1.MetricSpec, v2.MetricSpec> => ({ ...schemas('MetricSpec'), toV1: metricToV1, toV2: metricToV2 })

/** `status.currentMetrics`. v2beta1 has a field for them, in the form of v1's annotation. */
export const statusForm = (): ListForm<v1.MetricStatus, v2.MetricStatus> => ({
  ...schemas('MetricStatus'),
  toV1: metricStatusToV1,
  toV2: metricStatusToV2,
})

/** Conditions are the same in all versions. */
export const conditionForm = (): ListForm<v1.HorizontalPodAutoscalerCondition, v2.HorizontalPodAutoscalerCondition> => ({
  ...schemas('HorizontalPodAutoscalerCondition'),
  toV1: unchangedItem,
  toV2: unchangedItem,
})
