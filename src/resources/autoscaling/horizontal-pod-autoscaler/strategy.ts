import type { Strategy } from '../../../catalog/definition.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { keepMembers, SPEC_FIELDS, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { validateHorizontalPodAutoscaler, validateHorizontalPodAutoscalerStatus } from './validation.ts'

const DIRECTIONS = ['scaleUp', 'scaleDown']

/** The field came with the gate HPAConfigurableTolerance; where it is kept already, it stays. */
function dropTolerance(next: KubeObject, old: KubeObject | undefined): void {
  if (DIRECTIONS.some(direction => old?.spec?.behavior?.[direction]?.tolerance !== undefined)) return
  for (const direction of DIRECTIONS) delete next.spec?.behavior?.[direction]?.tolerance
}

export const horizontalPodAutoscalerStrategy: Strategy = {
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    next.status = old ? old.status : { desiredReplicas: 0, currentMetrics: null }
    dropTolerance(next, old)
  },
  validate: validateHorizontalPodAutoscaler,
}

export const horizontalPodAutoscalerStatusStrategy: Strategy = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate: validateHorizontalPodAutoscalerStatus,
}
