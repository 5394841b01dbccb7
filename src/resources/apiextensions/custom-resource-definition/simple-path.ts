import { type FieldError, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** A path in the dot notation. Nothing but its first character is looked at. */
export const simplePathErrors = (text: string, path: FieldPath): FieldError[] =>
  text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')]
