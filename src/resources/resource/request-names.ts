import type { DeviceClaim } from '../../api/resource/v1beta2.types.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { validateLabelName } from './names.ts'

const NOT_A_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

/** Returns the names of a claim's requests, `request`, and of their alternatives, `request/alternative`. */
export function requestNames({ requests }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map(alternative => `${name}/${alternative.name}`),
    ]),
  )
}

/**
 * Validates a reference to a request or alternative. `known` is the result of `requestNames`. A name that is not a
 * label has one error for that, and one for being unknown.
 */
export function validateRequestReference(name: string, known: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const parts = name.split('/')
  if (parts.length > 2) return [invalid(path, name, NOT_A_REQUEST)]
  const errors = parts.flatMap(part => validateLabelName(part, path))
  return known.has(name) ? errors : [...errors, invalid(path, name, NOT_A_REQUEST)]
}
