import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required, words } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1123Subdomain, nameIsPathSegment } from '../../meta/names.ts'

/** Checks a required member that is a path segment. */
const segment = (value: string, what: string, path: FieldPath): FieldError[] =>
  value
    ? nameIsPathSegment(value, false).map(text => invalid(path.child(what), value, text))
    : [required(path.child(what), words(`${what} is required`, ''))]

interface ParametersReference {
  readonly apiGroup?: string | null
  readonly kind: string
  readonly name: string
}

/** Validates the target of a reference: apiGroup (optional), kind and name. */
export function validateObjectReference({ apiGroup, kind, name }: ParametersReference, path: FieldPath): FieldError[] {
  return [
    ...(typeof apiGroup === 'string' ? isDns1123Subdomain(apiGroup).map(text => invalid(path.child('apiGroup'), apiGroup, text)) : []),
    ...segment(kind, 'kind', path),
    ...segment(name, 'name', path),
  ]
}
