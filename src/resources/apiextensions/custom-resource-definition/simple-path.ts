import { type FieldError, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Checks that a path in dot notation starts with a dot. The rest is not checked. */
export const simplePathErrors = (text: string, path: FieldPath): FieldError[] =>
  text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')]
