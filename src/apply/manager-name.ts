import { type FieldError, invalid, tooLong } from '../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../meta/field-path.ts'

const MAX_BYTES = 128
/** Go's unicode.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** The manager that a client is which names none: what its user agent says before the first `/`, printable characters only, at most 128 bytes. */
export function managerFromUserAgent(userAgent: string): string {
  let name = ''
  let bytes = 0
  for (const char of userAgent.split('/', 1)[0] as string) {
    if (!printable.test(char)) continue
    bytes += Buffer.byteLength(char)
    if (bytes > MAX_BYTES) break
    name += char
  }
  return name
}

/** What is wrong with the parameter `fieldManager`. */
export function validateFieldManager(name: string, path: FieldPath = fieldPath('fieldManager')): FieldError[] {
  const errors: FieldError[] = []
  if (Buffer.byteLength(name) > MAX_BYTES) errors.push(tooLong(path, MAX_BYTES))
  let position = 0
  for (const char of name) {
    if (!printable.test(char)) {
      const code = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
      errors.push(invalid(path, name, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(char)
  }
  return errors
}
