import type { ServiceReference } from '../../api/admissionregistration/v1.types.ts'
import type { Steps } from '../../lib/steps.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { GoUrlError, parseGoUrl } from '../../meta/go-url.ts'
import { itemErrors } from '../../meta/item-errors.ts'
import { isDns1035Label, isDns1123Subdomain, isValidPortNum } from '../../meta/names.ts'

const FORM = '; desired format: https://host[/path]'

/** ValidateWebhookURL: an https URL with a host, and without user, query and fragment. */
export function validateWebhookUrl(text: string, path: FieldPath): FieldError[] {
  try {
    const { scheme, host, user, fragment, query } = parseGoUrl(text)
    const errors: FieldError[] = []
    if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`))
    if (host === '') errors.push(invalid(path, host, `host must be specified${FORM}`))
    if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'))
    if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'))
    if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'))
    return errors
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    return [required(path, `url must be a valid URL: ${error.message}${FORM}`)]
  }
}

/** Validates an absolute path of DNS subdomains. An empty path, `/` and a trailing slash are valid. */
function validatePath(text: string, path: FieldPath): FieldError[] {
  if (text === '/' || text === '') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  const errors = text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]
  const segments = text.slice(1).replace(/\/$/, '').split('/')
  return [
    ...errors,
    ...segments.flatMap((segment, i) => {
      if (segment === '') return [invalid(path, text, `segment[${i}] may not be empty`)]
      return isDns1123Subdomain(segment).map(message => invalid(path, text, `segment[${i}]: ${message}`))
    }),
  ]
}

/**
 * ValidateWebhookService. Upstream's callers swap namespace and name, so a missing namespace is reported for `name`,
 * and a missing name for `namespace`.
 */
export function validateWebhookService(
  { namespace, name, path: urlPath, port = 0 }: Partial<ServiceReference>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  if (!namespace) errors.push(required(path.child('name'), 'service name is required'))
  if (!name) errors.push(required(path.child('namespace'), 'service namespace is required'))
  const portTexts = isValidPortNum(port)
  if (portTexts.length > 0) errors.push(invalid(path.child('port'), port, `port is not valid: ${portTexts.join(', ')}`))
  return urlPath === undefined ? errors : [...errors, ...validatePath(urlPath, path.child('path'))]
}

/**
 * Validates the names of the review versions that a webhook accepts. A duplicate is reported at its second place, and
 * its name is not validated again.
 */
export function versionNameErrors(versions: readonly string[], path: FieldPath): Steps<FieldError[]> {
  const seen = new Set<string>()
  return itemErrors(versions, path, (version, at) => {
    if (seen.has(version)) return [invalid(at, version, 'duplicate version')]
    seen.add(version)
    return isDns1035Label(version).map(text => invalid(at, version, text))
  })
}
