import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { type FieldError, forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { ObjectMeta, TypedObject } from '../../../meta/object.ts'

/** Marks jobs whose pods have finalizers, until release 1.27. In 1.24 and 1.25 a gate says whether new jobs are such. */
const ANNOTATION = 'batch.kubernetes.io/job-tracking'

const isMarked = ({ metadata }: TypedObject): boolean => Object.hasOwn(metadata.annotations ?? {}, ANNOTATION)

/** Nobody knows the mark any more. */
const isPast = ({ release }: Features): boolean => isSince(release, '1.28')
const marksNew = (features: Features): boolean => features.enabled('JobTrackingWithFinalizers')

/** Marks a new job. Another keeps its mark, which nobody can remove since 1.26. */
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

/** Nobody marks a job that the server has not marked when it was new. */
export function validateTracking(next: TypedObject, old: TypedObject | undefined, features: Features): FieldError[] {
  if (isPast(features) || !isMarked(next) || (old ? isMarked(old) : marksNew(features))) return []
  return [forbidden(fieldPath('metadata', 'annotations').key(ANNOTATION), 'cannot add this annotation')]
}
