import { quote } from '../../lib/go-quote.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required, tooLongError } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1123Label, isDns1123Subdomain, longerThan } from '../../meta/names.ts'

const DOMAIN_LIMIT = 253
/** Longest name: a domain, a slash, and the names of a namespace and of an object in it, separated by a dot. */
const NAME_LIMIT = DOMAIN_LIMIT + 1 + 63 + 1 + 253

/** Returns the errors of the first invalid part. */
function validateParts(text: string, check: (part: string) => string[], path: FieldPath): FieldError[] {
  const bad = text.split('.').find(part => check(part).length > 0)
  return bad === undefined ? [] : check(bad).map(detail => invalid(path, text, `validating label ${quote(bad)}: ${detail}`))
}

/**
 * Validates a signer name: a domain with at least two labels, a slash and a path without slashes, as in
 * `example.com/name` or `kubernetes.io/kube-apiserver-client`. If the text has this form, all other faults are reported
 * together.
 */
export function validateSignerName(name: string, path: FieldPath, missing = ''): FieldError[] {
  if (name === '') return [required(path, missing)]
  const [domain = '', rest = '', ...more] = name.split('/')
  if (!name.includes('/') || more.length > 0) {
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  }
  return [
    ...(longerThan(domain, DOMAIN_LIMIT) ? [tooLongError(path, DOMAIN_LIMIT)] : []),
    ...validateParts(domain, isDns1123Label, path),
    ...(domain.includes('.') ? [] : [invalid(path, domain, 'should be a domain with at least two segments separated by dots')]),
    ...validateParts(rest, isDns1123Subdomain, path),
    ...(longerThan(name, NAME_LIMIT) ? [tooLongError(path, NAME_LIMIT)] : []),
  ]
}
