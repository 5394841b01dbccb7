import type { Deployment, ReplicaSet } from '../../../api/apps/v1.types.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { isStepDone, runIfSteps, type Steps } from '../../../lib/steps.ts'
import { memberNames, noteCopy } from '../../../lib/wide-objects.ts'
import { setMember } from '../../../meta/equal.ts'
import { withMembers } from '../../shared/with-members.ts'

/** Annotation of a set, and of its deployment, with the number of the rollout. */
export const REVISION = 'deployment.kubernetes.io/revision'
/** Annotation of a set with its earlier revisions, separated by commas. */
const HISTORY = 'deployment.kubernetes.io/revision-history'
/**
 * Annotations of a set with the size of its deployment when it was scaled. They tell a later scaling apart from a
 * rollout.
 */
const DESIRED = 'deployment.kubernetes.io/desired-replicas'
const MAX = 'deployment.kubernetes.io/max-replicas'
/** Annotation by which extensions/v1beta1 requests a rollback to a revision. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Longest list of earlier revisions in an annotation, in characters. */
const HISTORY_CHARACTERS = 2000

/** Annotations that sets do not take from their deployment. */
const OWN: ReadonlySet<string> = new Set([LAST_APPLIED, REVISION, HISTORY, DESIRED, MAX, ROLLBACK_TO])

/** Whether an annotation of a deployment is copied to its sets, and back by a rollback. */
export const isCopied = (annotation: string): boolean => !OWN.has(annotation)

/** Annotations by name. */
export type AnnotationMap = Readonly<Record<string, string>>

/** Reads an annotation as an integer. Undefined if it is absent or malformed. */
function integerAnnotation({ metadata }: ReplicaSet, name: string): number | undefined {
  const value = parseInt64(metadata.annotations?.[name] ?? '')
  return value === undefined ? undefined : Number(value)
}

/** Size of the deployment when the set was last scaled. */
export const desiredReplicasOf = (set: ReplicaSet): number | undefined => integerAnnotation(set, DESIRED)

/** Largest number of pods of the deployment when the set was last scaled. */
export const maxReplicasOf = (set: ReplicaSet): number | undefined => integerAnnotation(set, MAX)

/** Revision of a set. 0 if it has none, undefined if it is no integer. */
export function revisionOf({ metadata }: ReplicaSet): number | undefined {
  const text = metadata.annotations?.[REVISION]
  return text === undefined ? 0 : Number(parseInt64(text) ?? Number.NaN)
}

/** Largest revision of the sets. Those without a valid one do not count. */
export const latestRevision = (sets: readonly ReplicaSet[]): number => Math.max(0, ...sets.map(set => revisionOf(set) || 0))

/** Annotations with the sizes that a set was last scaled for. */
export const sizeAnnotations = (desired: number, most: number): AnnotationMap => ({ [DESIRED]: String(desired), [MAX]: String(most) })

/**
 * Returns the annotations that a set has when it becomes the new one, in steps.
 * @param limit longest history in characters.
 */
export function* newSetAnnotations(
  { metadata }: Deployment,
  present: AnnotationMap,
  revision: number,
  limit = HISTORY_CHARACTERS,
): Steps<Record<string, string>> {
  const annotations = yield* runIfSteps(withMembers(present))
  const ofDeployment = metadata.annotations ?? {}
  for (const name of yield* memberNames(ofDeployment)) {
    if (isStepDone()) yield
    if (isCopied(name)) setMember(annotations, name, ofDeployment[name])
  }
  noteCopy(ofDeployment, annotations)
  const old = present[REVISION]
  const oldRevision = old === undefined || old === '' ? 0 : Number(parseInt64(old) ?? Number.NaN)
  // A revision that is no number is left alone.
  if (!(oldRevision < revision)) return annotations
  annotations[REVISION] = String(revision)
  return old === undefined ? annotations : Object.assign(annotations, historyAnnotation(present[HISTORY] ?? '', old, limit))
}

/** Appends a revision to the history. The oldest ones are dropped if it becomes too long. */
function historyAnnotation(history: string, revision: string, limit: number): AnnotationMap {
  if (history === '' || history.startsWith(',')) return { [HISTORY]: revision }
  const revisions = history.split(',')
  let length = history.length + revision.length + 1
  let first = 0
  while (length > limit && first < revisions.length) length -= (revisions[first++]?.length ?? 0) + 1
  return length <= limit ? { [HISTORY]: [...revisions.slice(first), revision].join(',') } : {}
}
