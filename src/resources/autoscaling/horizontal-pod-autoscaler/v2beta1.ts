import type * as v1 from '../../../api/autoscaling/v1.types.ts'
import type * as v2 from '../../../api/autoscaling/v2.types.ts'
import type { Json } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { BEHAVIOR, CURRENT_METRICS, dropRoundTripAnnotations, METRICS } from './annotations.ts'
import { CPU_PERCENT } from './defaults.ts'
import { type ListForm, listToV1, listToV2, readList, writeList } from './v1/annotation-lists.ts'
import { readBehavior, writeBehavior } from './v1/behavior.ts'
import { metricForm, statusForm } from './v1/forms.ts'

/** v2beta1 has metrics in the form of v1's annotations, and no behavior. */
export type HorizontalPodAutoscalerV2beta1 = Omit<v2.HorizontalPodAutoscaler, 'spec' | 'status'> & {
  spec: Omit<v2.HorizontalPodAutoscalerSpec, 'metrics' | 'behavior'> & { metrics?: v1.MetricSpec[] }
  status: Omit<v2.HorizontalPodAutoscalerStatus, 'currentReplicas' | 'currentMetrics' | 'conditions'> & {
    currentReplicas: number
    currentMetrics: v1.MetricStatus[] | null
    conditions: v2.HorizontalPodAutoscalerCondition[] | null
  }
}

type Annotations = Record<string, string>

/**
 * Sets defaults. Without metrics the target is 80% of the requested CPU. Source:
 * pkg/apis/autoscaling/v2beta1/defaults.go in k8s.io/kubernetes.
 */
export function setV2beta1Defaults({ spec }: HorizontalPodAutoscalerV2beta1): void {
  spec.minReplicas ??= 1
  if ((spec.metrics ?? []).length === 0)
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: CPU_PERCENT } }]
}

/** Converts items to v2beta1. If converting them back would lose something, an annotation holds their v2 form. */
function* itemsFromV2<V1 extends Json, V2 extends Json>(
  form: ListForm<V1, V2>,
  items: readonly V2[],
  annotations: Annotations,
  name: string,
): Steps<V1[]> {
  const { written, isExact } = yield* listToV1(form, items)
  if (!isExact) annotations[name] = yield* writeList(form, items)
  return written
}

/**
 * Converts items to v2. The annotation is used only if it has the same items as the field, which a client may have
 * changed.
 */
function* itemsToV2<V1 extends Json, V2 extends Json>(
  form: ListForm<V1, V2>,
  items: readonly V1[],
  annotation: string | undefined,
): Steps<V2[]> {
  const annotated = yield* readList(form, annotation)
  const isTrue = annotated !== undefined && deepEqual((yield* listToV1(form, annotated)).written, items)
  return isTrue ? annotated : yield* listToV2(form, items)
}

/** Converts autoscaling/v2 to v2beta1. The behavior goes into an annotation, as in kube-apiserver. */
export function* toV2beta1({ metadata, spec, status, ...autoscaler }: v2.HorizontalPodAutoscaler): Steps<HorizontalPodAutoscalerV2beta1> {
  const { metrics, behavior, ...rest } = spec
  dropRoundTripAnnotations(metadata)
  const annotations: Annotations = { ...metadata.annotations }
  const written = metrics && (yield* itemsFromV2(metricForm(), metrics, annotations, METRICS))
  const measured = status.currentMetrics && (yield* itemsFromV2(statusForm(), status.currentMetrics, annotations, CURRENT_METRICS))
  if (behavior) annotations[BEHAVIOR] = writeBehavior(behavior)
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations
  return {
    ...autoscaler,
    metadata,
    spec: { ...rest, ...(written && { metrics: written }) },
    status: { ...status, currentReplicas: status.currentReplicas ?? 0, currentMetrics: measured, conditions: status.conditions ?? null },
  }
}

/** Converts autoscaling/v2beta1 to v2. Annotations that cannot be parsed are ignored. */
export function* fromV2beta1({ metadata, spec, status, ...autoscaler }: HorizontalPodAutoscalerV2beta1): Steps<v2.HorizontalPodAutoscaler> {
  const { metrics, ...rest } = spec
  const { currentMetrics, conditions, ...counts } = status
  const annotations = metadata.annotations ?? {}
  const read = metrics && (yield* itemsToV2(metricForm(), metrics, annotations[METRICS]))
  const measured = currentMetrics && (yield* itemsToV2(statusForm(), currentMetrics, annotations[CURRENT_METRICS]))
  const behavior = readBehavior(annotations[BEHAVIOR])
  dropRoundTripAnnotations(metadata)
  return {
    ...autoscaler,
    metadata,
    spec: { ...rest, ...(read && { metrics: read }), ...(behavior && { behavior }) },
    status: { ...counts, currentMetrics: measured, ...(conditions && { conditions }) },
  }
}
