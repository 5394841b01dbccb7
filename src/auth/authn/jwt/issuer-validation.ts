import { X509Certificate } from 'node:crypto'
import { pemCertificates } from '../../../lib/pem-certificates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { duplicate, type FieldError, invalid, required, tooMany, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { GoUrlError, parseGoUrl } from '../../../meta/go-url.ts'
import type { IssuerConfiguration } from './configuration.ts'
import { type ValidationRules, WITHOUT_GATE } from './validation-rules.ts'

const MATCH_ANY = 'MatchAny'
const EGRESS_TYPES = ['controlplane', 'cluster']

/** Validates an issuer. Errors are in kube-apiserver's order and words. */
export function issuerErrors(issuer: IssuerConfiguration, path: FieldPath, rules: ValidationRules): FieldError[] {
  return [
    ...urlErrors(issuer.url, path.child('url'), rules),
    ...discoveryErrors(issuer, path.child('discoveryURL'), rules),
    ...audienceErrors(issuer, path, rules),
    ...authorityErrors(issuer.certificateAuthority, path.child('certificateAuthority')),
    ...egressErrors(issuer.egressSelectorType, path.child('egressSelectorType'), rules),
  ]
}

function urlErrors(url: string, path: FieldPath, { release, disallowedIssuers }: ValidationRules): FieldError[] {
  if (url === '') return [required(path, isSince(release, '1.34') ? '' : 'URL is required')]
  const overlaps = isSince(release, '1.30') && disallowedIssuers.includes(url)
  return [...(overlaps ? [disallowedIssuer(url, path, disallowedIssuers)] : []), ...partErrors(url, path)]
}

/** Error for an issuer that is the server's own. */
export const disallowedIssuer = (url: string, path: FieldPath, disallowed: readonly string[]): FieldError =>
  invalid(path, url, `URL must not overlap with disallowed issuers: [${[...new Set(disallowed)].toSorted().join(' ')}]`)

/** Errors of the discovery URL. It must differ from the issuer's URL. */
function discoveryErrors(
  { url, discoveryURL }: IssuerConfiguration,
  path: FieldPath,
  { release, structured }: ValidationRules,
): FieldError[] {
  if (discoveryURL === '') return []
  const gated = !structured && isSince(release, '1.32')
  const same = url !== '' && withoutSlashes(url) === withoutSlashes(discoveryURL)
  return [
    ...(gated ? [invalid(path, discoveryURL, `discoveryURL is ${WITHOUT_GATE}`)] : []),
    ...(same ? [invalid(path, discoveryURL, 'discoveryURL must be different from URL')] : []),
    ...partErrors(discoveryURL, path),
  ]
}

function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** Errors of a URL's parts, which must be https without credentials, query and fragment. */
function partErrors(url: string, path: FieldPath): FieldError[] {
  try {
    const { scheme, user, query, fragment } = parseGoUrl(url)
    return [
      ...(scheme !== 'https' ? [invalid(path, url, 'URL scheme must be https')] : []),
      ...(user !== undefined ? [invalid(path, url, 'URL must not contain a username or password')] : []),
      ...(query !== '' ? [invalid(path, url, 'URL must not contain a query')] : []),
      ...(fragment !== '' ? [invalid(path, url, 'URL must not contain a fragment')] : []),
    ]
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    return [invalid(path, url, error.message)]
  }
}

function audienceErrors(
  { audiences, audienceMatchPolicy: policy }: IssuerConfiguration,
  issuer: FieldPath,
  { release, structured }: ValidationRules,
): FieldError[] {
  const path = issuer.child('audiences')
  if (audiences.length === 0) return [required(path, `at least one ${path} is required`)]
  if (!isSince(release, '1.30')) {
    if (audiences.length > 1) return [tooMany(path, audiences.length, 1)]
    return audiences[0] === '' ? [required(path.index(0), "audience can't be empty")] : []
  }
  const errors: FieldError[] = []
  if (audiences.length > 1 && !structured && isSince(release, '1.32')) {
    const value = isSince(release, '1.34') ? verbatim(JSON.stringify(audiences)) : audiences
    errors.push(invalid(path, value, `multiple audiences are ${WITHOUT_GATE}`))
  }
  const seen = new Set<string>()
  for (const [i, audience] of audiences.entries()) {
    if (audience === '') errors.push(required(path.index(i), isSince(release, '1.34') ? '' : "audience can't be empty"))
    if (seen.has(audience)) errors.push(duplicate(path.index(i), audience))
    seen.add(audience)
  }
  const policyPath = issuer.child('audienceMatchPolicy')
  if (audiences.length > 1 && policy !== MATCH_ANY)
    errors.push(invalid(policyPath, policy, 'audienceMatchPolicy must be MatchAny for multiple audiences'))
  if (audiences.length === 1 && policy !== '' && policy !== MATCH_ANY)
    errors.push(invalid(policyPath, policy, 'audienceMatchPolicy must be empty or MatchAny for single audience'))
  return errors
}

/** Validates a CA bundle as client-go does: other PEM blocks are skipped, a malformed certificate is an error. */
function authorityErrors(pem: string, path: FieldPath): FieldError[] {
  if (pem === '') return []
  const certificates = pemCertificates(pem)
  if (certificates.length === 0) return [invalid(path, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')]
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
    return []
  } catch {
    return [invalid(path, '<omitted>', 'x509: malformed certificate')]
  }
}

/** Errors of the egress selector type. */
function egressErrors(type: string, path: FieldPath, { structured, egressSelector }: ValidationRules): FieldError[] {
  if (type === '') return []
  const errors: FieldError[] = []
  if (!structured) errors.push(invalid(path, type, `egress selector is ${WITHOUT_GATE}`))
  if (!egressSelector)
    errors.push(
      invalid(
        path,
        type,
        'egress selector is not supported when StructuredAuthenticationConfigurationEgressSelector feature gate is disabled',
      ),
    )
  if (!EGRESS_TYPES.includes(type)) errors.push(invalid(path, type, 'egress selector must be either controlplane or cluster'))
  return errors
}
