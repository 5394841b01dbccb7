import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '../../../api/certificates/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { certificateRequestFault } from '../../../lib/certificate-request.ts'
import { decodePem } from '../../../lib/decode-pem.ts'
import { quote } from '../../../lib/go-quote.ts'
import { type Steps, someInSteps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import {
  appendErrors,
  covered,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type Verbatim,
  verbatim,
} from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors, uniqueItemErrors } from '../../../meta/item-errors.ts'
import { parseCertificate } from '../certificates.ts'
import { validateSignerName } from '../signer-name.ts'
import { APPROVED, allConditions, conditionsOf, DENIED, FAILED } from './conditions.ts'

const USAGES: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]
const STATUSES = ['False', 'True', 'Unknown']
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown'
/** Shortest expiration in seconds: ten minutes. */
const SHORTEST_SECONDS = 600
/** Bytes of an invalid request that the error shows. */
const SHOWN_BYTES = 4096

const SPEC_PATH = fieldPath('spec')
const CONDITIONS_PATH = fieldPath('status', 'conditions')
const CERTIFICATE_PATH = fieldPath('status', 'certificate')

/** Message about a missing field before 1.26. */
const missingMessage = (field: string, release: Release): string => (isSince(release, '1.26') ? '' : `${field} must be provided`)

const decodeBase64 = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1')
const certificateOf = ({ status }: CertificateSigningRequest): string => status.certificate ?? ''
const hasTwice = (values: readonly string[]): boolean => new Set(values).size < values.length

/** Prints the bytes of a base64 text as Go's %#v does. */
function goBytes(base64: string): Verbatim {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0) return verbatim('[]byte(nil)', () => 'null')
  const shown = Array.from(bytes.subarray(0, SHOWN_BYTES), byte => `0x${byte.toString(16)}`)
  return verbatim(`[]byte{${shown.join(', ')}${bytes.length > SHOWN_BYTES ? ', ...' : ''}}`, () => JSON.stringify(base64))
}

/**
 * Returns the first fault of certificates in PEM, or undefined. All blocks must have the type CERTIFICATE, no headers,
 * and one certificate each. An empty text is valid: the signer has not issued a certificate yet.
 */
function certificateFault(pem: string): string | undefined {
  if (pem === '') return undefined
  const blocks = decodePem(pem)
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`
    if (hasHeaders) return 'no PEM block headers are permitted'
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates'
    if (!parseCertificate(bytes)) return 'x509: malformed certificate'
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}

/**
 * Validates usages, which must be known and unique. Unknown or repeated ones are accepted if the stored request has
 * some.
 */
function* validateUsages(usages: readonly string[], before: readonly string[], path: FieldPath, release: Release): Steps<FieldError[]> {
  const errors = usages.length === 0 ? [required(path, missingMessage('usages', release))] : []
  const isKnown = (usage: string): boolean => USAGES.includes(usage)
  if (!(yield* someInSteps(before, usage => !isKnown(usage))))
    appendErrors(errors, yield* itemErrors(usages, path, (usage, at) => (isKnown(usage) ? [] : [notSupported(at, usage, USAGES)])))
  if (hasTwice(before)) return errors
  const repeated = yield* uniqueItemErrors(
    usages,
    path,
    () => [],
    (usage, at) => duplicate(at, usage),
  )
  return appendErrors(errors, repeated)
}

/**
 * Validates the spec. The legacy signer may be kept by an update, but not set. `expirationSeconds` has no upper limit.
 */
function* validateSigningRequestSpec(
  spec: CertificateSigningRequestSpec,
  old: CertificateSigningRequestSpec | undefined,
  { release }: Features,
): Steps<FieldError[]> {
  const { signerName, expirationSeconds: seconds } = spec
  const request = spec.request ?? ''
  const fault = certificateRequestFault(decodeBase64(request))
  const signer = SPEC_PATH.child('signerName')
  const isLegacy = signerName === LEGACY_SIGNER && old?.signerName !== LEGACY_SIGNER
  return [
    ...(fault === undefined ? [] : [invalid(SPEC_PATH.child('request'), goBytes(request), fault)]),
    ...(yield* validateUsages(spec.usages ?? [], old?.usages ?? [], SPEC_PATH.child('usages'), release)),
    ...(isLegacy
      ? [invalid(signer, signerName, 'the legacy signerName is not allowed via this API version')]
      : validateSignerName(signerName, signer, missingMessage('signerName', release))),
    ...(seconds !== undefined && seconds < SHORTEST_SECONDS
      ? [invalid(SPEC_PATH.child('expirationSeconds'), seconds, 'may not specify a duration less than 600 seconds (10 minutes)')]
      : []),
  ]
}

/** Checks the status of a condition. Approved, Denied and Failed are always True; other types may have any status. */
function validateConditionStatus(type: string, status: string, path: FieldPath): FieldError[] {
  if (status === '') return [required(path)]
  const allowed = [APPROVED, DENIED, FAILED].includes(type) ? ['True'] : STATUSES
  return allowed.includes(status) ? [] : [notSupported(path, status, allowed)]
}

/**
 * Checks that types are unique, and that Approved and Denied exclude each other, unless the old request has such a
 * fault. The error is reported for the later condition, since 1.34 for all of them.
 */
function validateRequestConditions(
  next: CertificateSigningRequest,
  old: CertificateSigningRequest | undefined,
  { release }: Features,
): Steps<FieldError[]> {
  const before = old ? allConditions(old).map(({ type }) => type) : []
  const mayContradict = before.includes(APPROVED) && before.includes(DENIED)
  const mayRepeat = hasTwice(before)
  const mayBeEmpty = before.includes('')
  const seen = new Set<string>()
  const placeOf = (at: FieldPath): FieldPath => (isSince(release, '1.34') ? CONDITIONS_PATH : at)
  return itemErrors(allConditions(next), CONDITIONS_PATH, ({ type, status }, path) => {
    const at = path.child('type')
    const contradicts = (type === APPROVED && seen.has(DENIED)) || (type === DENIED && seen.has(APPROVED))
    const isRepeated = seen.has(type)
    seen.add(type)
    return [
      ...(type === '' && !mayBeEmpty ? [required(at)] : []),
      ...validateConditionStatus(type, status, path.child('status')),
      ...(contradicts && !mayContradict
        ? covered('zeroOrOneOf', [invalid(placeOf(at), type, 'Approved and Denied conditions are mutually exclusive')])
        : []),
      ...(isRepeated && !mayRepeat ? [duplicate(at, type)] : []),
    ]
  })
}

/** Validates the certificate, unless it is unchanged or replaces an invalid one. The error does not show it. */
function validateCertificate(next: CertificateSigningRequest, old: CertificateSigningRequest | undefined): FieldError[] {
  if (old && (certificateOf(next) === certificateOf(old) || certificateFault(decodeBase64(certificateOf(old))) !== undefined)) return []
  const fault = certificateFault(decodeBase64(certificateOf(next)))
  return fault === undefined ? [] : [invalid(CERTIFICATE_PATH, '<certificate data>', fault)]
}

interface Permissions {
  readonly decision?: boolean
  readonly certificate?: boolean
}

/** Checks that decisions and certificates are only added, and only through the subresource for them. */
function validateChange(next: CertificateSigningRequest, old: CertificateSigningRequest, may: Permissions): FieldError[] {
  const errors: FieldError[] = []
  const counts = (type: string): [before: number, after: number] => [conditionsOf(old, type).length, conditionsOf(next, type).length]
  for (const type of [APPROVED, DENIED, FAILED]) {
    const [before, after] = counts(type)
    if (after < before) errors.push(forbidden(CONDITIONS_PATH, `updates may not remove a condition of type ${quote(type)}`))
  }
  for (const type of may.decision ? [] : [APPROVED, DENIED]) {
    const [before, after] = counts(type)
    if (after > before) errors.push(forbidden(CONDITIONS_PATH, `updates may not add a condition of type ${quote(type)}`))
  }
  if (certificateOf(next) !== certificateOf(old)) {
    if (!may.certificate) errors.push(forbidden(CERTIFICATE_PATH, 'updates may not set certificate content'))
    else if (certificateOf(old) !== '') errors.push(forbidden(CERTIFICATE_PATH, 'updates may not modify existing certificate content'))
  }
  return errors
}

/**
 * Returns the validation of a subresource with the given permissions. A create does not need them, since `prepare` has
 * cleared its status.
 */
const validateWith = (may: Permissions) =>
  function* (
    next: CertificateSigningRequest,
    old: CertificateSigningRequest | undefined,
    { features }: Pick<HookContext, 'features'>,
  ): Steps<FieldError[]> {
    return [
      ...(yield* validateSigningRequestSpec(next.spec, old?.spec, features)),
      ...(yield* validateRequestConditions(next, old, features)),
      ...validateCertificate(next, old),
      ...(old ? validateChange(next, old, may) : []),
    ]
  }

/** Validates a write of the resource itself, which may change neither decision nor certificate. */
export const validateCertificateSigningRequest = validateWith({})
/** Validates a write of `status`. The signer may set the certificate once. */
export const validateStatus = validateWith({ certificate: true })
/** Validates a write of `approval`, which may add decisions but not remove them. */
export const validateApproval = validateWith({ decision: true })
