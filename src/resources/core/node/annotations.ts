import type { Json } from '../../../api/meta/object.ts'
import { isJsonObject } from '../../../api/meta/object.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { ownMember } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'

const AVOID_PODS = 'scheduler.alpha.kubernetes.io/preferAvoidPods'
const ANNOTATIONS_PATH = fieldPath('metadata', 'annotations')

/**
 * Checks the preferAvoidPods annotation, an alpha feature of old schedulers that upstream still validates. It lists the
 * controllers whose pods should avoid the node.
 */
export function validateNodeAnnotations(annotations: Readonly<Record<string, string>> = {}): FieldError[] {
  const text = ownMember(annotations, AVOID_PODS)
  if (!text) return []
  try {
    const entries = avoidedPods(text)
    const path = ANNOTATIONS_PATH.child(AVOID_PODS)
    return entries.length === 0 ? [required(path, '')] : entries.flatMap((entry, i) => validateAvoided(entry, path.index(i)))
  } catch (error) {
    return [invalid(ANNOTATIONS_PATH.child('AvoidPods'), AVOID_PODS, errorMessage(error))]
  }
}

/**
 * Parses the annotation. Throws if the text is not a JSON object. A member that is not a list counts as an empty list.
 */
function avoidedPods(text: string): Json[] {
  const parsed: Json = JSON.parse(text)
  if (!isJsonObject(parsed)) throw new Error('not an object')
  return Array.isArray(parsed.preferAvoidPods) ? parsed.preferAvoidPods : []
}

/** Checks that an entry refers to a controller. Path elements are the names of Go fields. */
function validateAvoided(entry: Json, path: FieldPath): FieldError[] {
  const signature = member(entry, 'podSignature')
  const controller = member(signature, 'podController')
  if (controller === undefined || controller === null) return [required(path.child('PodSignature'), '')]
  const flag = member(controller, 'controller')
  return flag === true
    ? []
    : [invalid(path.child('PodSignature', 'PodController', 'Controller'), flag ?? false, 'must point to a controller')]
}

const member = (value: Json | undefined, name: string): Json | undefined => (isJsonObject(value) ? value[name] : undefined)
