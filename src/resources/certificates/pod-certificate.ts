import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required, tooLongError } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { ANNOTATIONS_LIMIT } from '../../meta/object-meta-validation.ts'

/**
 * Rules that requests for pod certificates and the volumes that request them have in common. Source:
 * pkg/apis/certificates and pkg/apis/core/validation in k8s.io/kubernetes.
 */

/** Shortest validity that may be requested, in seconds: one hour. */
export const SHORTEST_EXPIRATION = 3600

/** Returns the longest validity in seconds: one day for signers below kubernetes.io, 91 days for others. */
export function longestExpiration(signerName: string): number {
  const [domain = ''] = signerName.split('/', 1)
  return domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io') ? 86_400 : 91 * 86_400
}

/**
 * Validates user annotations. Keys have a domain, with letters of either case; the total size has the limit of
 * annotations.
 */
export function validateUserAnnotations(annotations: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  const entries = Object.entries(annotations)
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
  return [
    ...entries.flatMap(([key]) => validateKey(key.toLowerCase(), path)),
    ...(bytes > ANNOTATIONS_LIMIT ? [tooLongError(path, ANNOTATIONS_LIMIT)] : []),
  ]
}

function validateKey(key: string, path: FieldPath): FieldError[] {
  if (key === '') return [required(path)]
  const faults = isQualifiedName(key)
  if (faults.length > 0) return faults.map(text => invalid(path, key, text))
  return key.includes('/') ? [] : [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')]
}
