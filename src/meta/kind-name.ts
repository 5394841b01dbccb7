import { type FieldError, invalid } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { isDns1035Label } from './names.ts'

/** Validates the name of a kind, which is an RFC 1035 label in mixed case. */
export function validateKindName(kind: string, path: FieldPath): FieldError[] {
  const texts = isDns1035Label(kind.toLowerCase())
  return texts.length === 0 ? [] : [invalid(path, kind, `may have mixed case, but should otherwise match: ${texts.join(',')}`)]
}
