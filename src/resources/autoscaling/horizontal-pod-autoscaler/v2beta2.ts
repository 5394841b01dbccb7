import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
} from '../../../api/autoscaling/v2.types.ts'
import { dropRoundTripAnnotations } from './annotations.ts'

/** Equals v2, except for members of the status that are always written. */
export type HorizontalPodAutoscalerV2beta2 = Omit<HorizontalPodAutoscaler, 'status'> & {
  status: Omit<HorizontalPodAutoscalerStatus, 'currentReplicas' | 'conditions'> & {
    currentReplicas: number
    conditions: HorizontalPodAutoscalerCondition[] | null
  }
}

/** Converts autoscaling/v2 to v2beta2. */
export function toV2beta2({ status, ...autoscaler }: HorizontalPodAutoscaler): HorizontalPodAutoscalerV2beta2 {
  dropRoundTripAnnotations(autoscaler.metadata)
  return { ...autoscaler, status: { ...status, currentReplicas: status.currentReplicas ?? 0, conditions: status.conditions ?? null } }
}

/** Converts autoscaling/v2beta2 to v2. */
export function fromV2beta2({ status, ...autoscaler }: HorizontalPodAutoscalerV2beta2): HorizontalPodAutoscaler {
  const { conditions, ...rest } = status
  dropRoundTripAnnotations(autoscaler.metadata)
  return { ...autoscaler, status: { ...rest, ...(conditions && { conditions }) } }
}
