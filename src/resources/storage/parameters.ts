import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { isWide, memberNames, namesOf } from '../../lib/wide-objects.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { covered, invalid, required, tooLongError } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName } from '../../meta/names.ts'

type Texts = Readonly<Record<string, string>>

/** Limit on the keys of a map. */
const MOST_PARAMETERS = 512
/** Limit on the bytes of all keys and values together. */
export const MOST_BYTES = 256 * 1024

/** Returns the size of a map of parameters in steps: the UTF-8 bytes of all keys and values. */
export function* parametersSize(texts: Texts): Steps<number> {
  let size = 0
  for (const key of yield* memberNames(texts)) {
    if (isStepDone()) yield
    size += Buffer.byteLength(key) + Buffer.byteLength(texts[key] ?? '')
  }
  return size
}

/**
 * Validates parameters. Keys are not empty; their number and the total size are limited. Too many keys are the only
 * error then. `allowEmpty`: whether the map may be empty.
 */
export function validateParameters(parameters: Texts, allowEmpty: boolean, path: FieldPath): FieldError[] {
  const keys = isWide(parameters) ? undefined : namesOf(parameters)
  if (keys === undefined || keys.length > MOST_PARAMETERS) return [tooLongError(path, MOST_PARAMETERS)]
  return [
    ...(keys.includes('') ? [invalid(path, '', 'field can not be empty.')] : []),
    ...(runAtOnce(parametersSize(parameters)) > MOST_BYTES ? [tooLongError(path, MOST_BYTES)] : []),
    ...(keys.length === 0 && !allowEmpty ? [required(path, 'must contain at least one key/value pair')] : []),
  ]
}

/** Checks that a provisioner, converted to lower case, is a qualified name. Errors show it in lower case. */
export function validateProvisioner(provisioner: string, path: FieldPath): FieldError[] {
  if (provisioner === '') return covered('', [required(path)])
  const name = provisioner.toLowerCase()
  return isQualifiedName(name).map(text => invalid(path, name, text))
}
