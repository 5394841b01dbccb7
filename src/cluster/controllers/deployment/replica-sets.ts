import type { Deployment, ReplicaSet } from '../../../api/apps/v1.types.ts'
import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { deepEqual, deepEqualInSteps } from '../../../meta/equal.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import { timeMillis } from '../../../meta/time.ts'
import { KnownComparisons } from '../../shared/known-comparisons.ts'
import { areSameMembers, withMembers } from '../../shared/with-members.ts'
import { revisionOf } from './revisions.ts'

export const TEMPLATE_HASH = 'pod-template-hash'

/** Orders sets by creation, equal times by name. */
export const createdFirst = (a: ReplicaSet, b: ReplicaSet): number =>
  (timeMillis(a.metadata.creationTimestamp) ?? 0) - (timeMillis(b.metadata.creationTimestamp) ?? 0) ||
  compareText(a.metadata.name ?? '', b.metadata.name ?? '')

/** Results for large templates, which sets and deployments share with their earlier states. */
const compared = new KnownComparisons<PodTemplateSpec>()

/** Whether two templates are equal, apart from the label with their hash. */
export function* isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): Steps<boolean> {
  if (hasFewValues(a) && hasFewValues(b)) return deepEqual(withoutHash(a), withoutHash(b))
  return yield* compared.of(a, b, compareTemplates(a, b))
}

function* compareTemplates(a: PodTemplateSpec, b: PodTemplateSpec): Steps<boolean> {
  const [{ labels: labelsOfA, ...metadataOfA }, { labels: labelsOfB, ...metadataOfB }] = [a.metadata, b.metadata]
  if (!(yield* areSameMembers(labelsOfA, labelsOfB, [TEMPLATE_HASH]))) return false
  return (yield* deepEqualInSteps(metadataOfA, metadataOfB)) && (yield* deepEqualInSteps(a.spec, b.spec))
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [TEMPLATE_HASH]: _hash, ...labels } = template.metadata.labels ?? {}
  const { labels: _labels, ...metadata } = template.metadata
  return { ...template, metadata: Object.keys(labels).length === 0 ? metadata : { ...metadata, labels } }
}

/** `withoutHash` in steps. Only the labels are copied. */
export function* copyWithoutHash(template: PodTemplateSpec): Steps<PodTemplateSpec> {
  const { labels } = template.metadata
  if (hasFewValues(labels)) return withoutHash(template)
  const copy = yield* runIfSteps(withMembers(labels))
  delete copy[TEMPLATE_HASH]
  return { ...template, metadata: { ...template.metadata, labels: copy } }
}

/** Returns the set with the template of the deployment: the oldest one, if several have it. */
export function* newSetOf({ spec: { template } }: Deployment, sets: readonly ReplicaSet[]): Steps<ReplicaSet | undefined> {
  for (const set of sets.toSorted(createdFirst)) if (yield* isSameTemplate(set.spec.template, template)) return set
  return undefined
}

/**
 * Returns the old sets that the history limit of the deployment removes: empty ones, of the smallest revisions first.
 */
export function surplusSets({ spec: { revisionHistoryLimit } }: Deployment, old: readonly ReplicaSet[]): ReplicaSet[] {
  if (revisionHistoryLimit === undefined || revisionHistoryLimit === 2 ** 31 - 1) return []
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  return alive
    .toSorted(byRevision)
    .slice(0, Math.max(0, alive.length - revisionHistoryLimit))
    .filter(isIdle)
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const difference = (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0)
  return Number.isNaN(difference) || difference === 0 ? createdFirst(a, b) : difference
}

/** Whether a set has no pods, and its controller has seen that it should have none. */
const isIdle = ({ metadata, spec, status }: ReplicaSet): boolean =>
  status.replicas === 0 && (spec.replicas ?? 1) === 0 && (metadata.generation ?? 0) <= Number(status.observedGeneration ?? 0)
