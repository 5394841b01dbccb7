import type { Pod, PodAffinityTerm, PodStatus } from '../../../api/core/v1.types.ts'
import type { Int64, ObjectMeta } from '../../../api/meta/object.ts'
import type { LabelSelector } from '../../../api/meta/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { ownMember } from '../../../meta/equal.ts'
import { countChange } from '../../shared/spec-generation.ts'
import { keepMembers } from '../../shared/strategy-parts.ts'
import { dropDisabledPodFields } from '../pod-spec/drop.ts'
import { podQosClass } from '../pod-spec/qos.ts'
import { setPodCondition } from './conditions.ts'
import { applyAppArmorAnnotations, applySeccompAnnotations } from './profile-annotations.ts'

/**
 * Prepares a new pod: phase Pending, its QoS class, label keys as selector expressions, profile annotations as fields.
 * Source: pkg/registry/core/pod in k8s.io/kubernetes.
 */
export function prepareCreate(pod: Pod, ctx: HookContext): void {
  if (countsGenerations(ctx.features)) pod.metadata.generation = 1
  dropDisabledPodFields(pod.spec, undefined, ctx.features)
  pod.status = { phase: 'Pending', qosClass: podQosClass(pod.spec, ctx.features) }
  if (pod.spec.schedulingGates?.length) {
    const message = 'Scheduling is blocked due to non-empty scheduling gates'
    setPodCondition(pod.status, { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message }, ctx.now)
  }
  applyLabelKeys(pod)
  if (ctx.features.enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge')) {
    for (const constraint of pod.spec.topologySpreadConstraints ?? []) addExpressions(constraint, pod.metadata.labels ?? {})
  }
  applySeccompAnnotations(pod, ctx.features.release)
  applyAppArmorAnnotations(pod, ctx)
}

/** Prepares an update. The status is kept, since it has a subresource of its own. */
export function prepareUpdate(next: Pod, old: Pod, { features }: HookContext): Steps<void> | undefined {
  next.status = old.status
  dropDisabledPodFields(next.spec, old.spec, features)
  return bumpGeneration(next, old, features)
}

/** Pods have generations since 1.33. */
const countsGenerations = ({ release }: Features): boolean => isSince(release, '1.33')

/** Increments the generation if the spec has changed. Large specs are compared in steps, which are returned. */
export const bumpGeneration = (next: Pod, old: Pod, features: Features): Steps<void> | undefined =>
  countsGenerations(features) ? countChange(next, old) : undefined

/** Prepares an update of the status. Keeps the spec, and fields that old clients leave out of the status. */
export function prepareStatusUpdate(next: Pod, old: Pod): void {
  next.spec = old.spec
  for (const field of ['deletionTimestamp', 'ownerReferences'] as const) restore(next.metadata, old.metadata, field)
  // Some kubelets omit the QoS class, which is set once, on create.
  if (!next.status.qosClass && old.status.qosClass) next.status.qosClass = old.status.qosClass
  keepObservedGenerations(next.status, old.status)
}

/**
 * Keeps observedGeneration if a client omits it. Conditions are matched by type, and by order if a type occurs several
 * times.
 */
function keepObservedGenerations(status: PodStatus, old: PodStatus): void {
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration
  const known = new Map<string, Int64[]>()
  for (const { type, observedGeneration = 0 } of (old.conditions ?? []).toReversed()) {
    const later = known.get(type)
    if (later) later.push(observedGeneration)
    else known.set(type, [observedGeneration])
  }
  for (const condition of status.conditions ?? []) {
    const before = known.get(condition.type)?.pop() ?? 0
    if (!condition.observedGeneration && before) condition.observedGeneration = before
  }
}

const META_OF_SUBRESOURCES = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const

function restore(next: ObjectMeta, old: ObjectMeta, field: (typeof META_OF_SUBRESOURCES)[number]): void {
  if (old[field] === undefined) delete next[field]
  else Object.assign(next, { [field]: old[field] })
}

/**
 * Restores metadata that a subresource of the spec may not change. Before 1.33 writes by these subresources record no
 * field manager.
 */
export function restoreMetadata(next: Pod, old: Pod, { release }: Features): void {
  if (!isSince(release, '1.33')) keepMembers(next.metadata, old.metadata, 'managedFields', 'generateName')
  for (const field of META_OF_SUBRESOURCES) restore(next.metadata, old.metadata, field)
}

/** Turns matchLabelKeys and mismatchLabelKeys into selector expressions with the values of the pod's own labels. */
function applyLabelKeys(pod: Pod): void {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const { labels = {} } = pod.metadata
  for (const affinity of [podAffinity, podAntiAffinity]) {
    for (const { podAffinityTerm } of affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      addExpressions(podAffinityTerm, labels)
    for (const term of affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) addExpressions(term, labels)
  }
}

function addExpressions(
  term: Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>,
  labels: Readonly<Record<string, string>>,
): void {
  if (!term.labelSelector) return
  const added = (keys: readonly string[] = [], operator: 'In' | 'NotIn'): NonNullable<LabelSelector['matchExpressions']> =>
    keys.flatMap(key => {
      const value = ownMember(labels, key)
      return value === undefined ? [] : [{ key, operator, values: [value] }]
    })
  const expressions = [...added(term.matchLabelKeys, 'In'), ...added(term.mismatchLabelKeys, 'NotIn')]
  if (expressions.length > 0) term.labelSelector.matchExpressions = [...(term.labelSelector.matchExpressions ?? []), ...expressions]
}
