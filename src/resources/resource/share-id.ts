import { type FieldError, invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

const CANONICAL = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NOT_CANONICAL =
  'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
/** Matches forms of a UUID that are recognized but not accepted: upper case, URN, braces, and without hyphens. */
const KNOWN =
  /^(?:(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}|[0-9a-f]{32})$/i
const LENGTHS = [32, 36, 38, 45]

/**
 * Validates the ID of one allocation of a shared device, a UUID in canonical form. Source: pkg/apis/resource/validation
 * in k8s.io/kubernetes, and github.com/google/uuid, since 1.34.
 */
export function validateShareId(id: string | undefined, path: FieldPath): FieldError[] {
  if (id === undefined || CANONICAL.test(id)) return []
  if (KNOWN.test(id)) return [invalid(path, id, NOT_CANONICAL)]
  const length = Buffer.byteLength(id)
  return [invalid(path, id, `error validating uid: ${LENGTHS.includes(length) ? 'invalid UUID format' : `invalid UUID length: ${length}`}`)]
}
