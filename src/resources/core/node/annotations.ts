import { errorMessage } from '../../../lib/error-message.ts'
import { ownMember } from '../../../meta/equal.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { ApiStruct, Errors } from '../checks.ts'

const AVOID_PODS = 'scheduler.alpha.kubernetes.io/preferAvoidPods'
const annotationsPath = fieldPath('metadata', 'annotations')

/** An old annotation of the scheduler, still checked: which controllers' pods to keep away from the node. */
export function checkNodeAnnotations(annotations: Readonly<Record<string, string>>, errors: Errors): void {
  const text = ownMember(annotations, AVOID_PODS)
  if (!text) return
  let entries: ApiStruct[]
  try {
    const parsed = JSON.parse(text) as ApiStruct
    if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) throw new Error('not an object')
    entries = Array.isArray(parsed.preferAvoidPods) ? parsed.preferAvoidPods : []
  } catch (error) {
    errors.push(invalid(annotationsPath.child('AvoidPods'), AVOID_PODS, errorMessage(error)))
    return
  }
  if (entries.length === 0) {
    errors.push(required(annotationsPath.child(AVOID_PODS), ''))
    return
  }
  for (const [i, entry] of entries.entries()) {
    const path = annotationsPath.child(AVOID_PODS).index(i)
    const controller = entry?.podSignature?.podController
    if (controller === undefined || controller === null) {
      errors.push(required(path.child('PodSignature'), ''))
    } else if (controller.controller !== true) {
      errors.push(invalid(path.child('PodSignature', 'PodController', 'Controller'), controller.controller ?? false, 'must point to a controller'))
    }
  }
}
