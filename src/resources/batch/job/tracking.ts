import type { ObjectMeta, TypedObject } from '../../../api/meta/object.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { type FieldError, forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'

/**
 * Annotation of jobs that track their pods with finalizers, until release 1.27. In 1.24 and 1.25 a gate controls
 * whether new jobs get it.
 */
const ANNOTATION = 'batch.kubernetes.io/job-tracking'

const isMarked = ({ metadata }: TypedObject): boolean => Object.hasOwn(metadata.annotations ?? {}, ANNOTATION)

/** Reports whether the release no longer uses the annotation. */
const isPast = ({ release }: Features): boolean => isSince(release, '1.28')
const marksNew = (features: Features): boolean => features.enabled('JobTrackingWithFinalizers')

/** Adds the annotation to a new job. Existing jobs keep it; since 1.26 it cannot be removed. */
export function prepareTracking({ metadata }: TypedObject, old: TypedObject | undefined, features: Features): void {
  if (isPast(features)) return
  const { [ANNOTATION]: _, ...others } = metadata.annotations ?? {}
  const wasMarked = old !== undefined && isMarked(old)
  if (old ? wasMarked && isSince(features.release, '1.26') : marksNew(features)) metadata.annotations = { ...others, [ANNOTATION]: '' }
  else if (!marksNew(features) && !wasMarked) setAnnotations(metadata, others)
}

function setAnnotations(metadata: ObjectMeta, annotations: Record<string, string>): void {
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations
  else delete metadata.annotations
}

/** Rejects the annotation on a job that did not get it from the server. */
export function validateTracking(next: TypedObject, old: TypedObject | undefined, features: Features): FieldError[] {
  if (isPast(features) || !isMarked(next) || (old ? isMarked(old) : marksNew(features))) return []
  return [forbidden(fieldPath('metadata', 'annotations').key(ANNOTATION), 'cannot add this annotation')]
}
