import type { FieldError } from '../../meta/field-error.ts'
import { covered, invalid, required, tooLongError } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName } from '../../meta/names.ts'

type Texts = Readonly<Record<string, string>>

/** Limit on the keys of a map. */
const MOST_PARAMETERS = 512
/** Limit on the bytes of all keys and values together. */
export const MOST_BYTES = 256 * 1024

/** Returns the size of a map of parameters: the UTF-8 bytes of all keys and values. */
export const parametersSize = (texts: Texts): number =>
  Object.entries(texts).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)

/**
 * Validates parameters. Keys are not empty; their number and the total size are limited. Too many keys are the only
 * error then. `allowEmpty`: whether the map may be empty.
 */
export function validateParameters(parameters: Texts, allowEmpty: boolean, path: FieldPath): FieldError[] {
  const keys = Object.keys(parameters)
  if (keys.length > MOST_PARAMETERS) return [tooLongError(path, MOST_PARAMETERS)]
  return [
    ...(keys.includes('') ? [invalid(path, '', 'field can not be empty.')] : []),
    ...(parametersSize(parameters) > MOST_BYTES ? [tooLongError(path, MOST_BYTES)] : []),
    ...(keys.length === 0 && !allowEmpty ? [required(path, 'must contain at least one key/value pair')] : []),
  ]
}

/** Checks that a provisioner, converted to lower case, is a qualified name. Errors show it in lower case. */
export function validateProvisioner(provisioner: string, path: FieldPath): FieldError[] {
  if (provisioner === '') return covered('', [required(path)])
  const name = provisioner.toLowerCase()
  return isQualifiedName(name).map(text => invalid(path, name, text))
}
