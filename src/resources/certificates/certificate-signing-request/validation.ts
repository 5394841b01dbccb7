import type { HookContext } from '../../../catalog/definition.ts'
import { quote } from '../../../lib/go-quote.ts'
import { repeats } from '../../../lib/repeats.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, duplicate, forbidden, invalid, notSupported, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { certificateRequestFault } from '../certificate-request.ts'
import { parseCertificate } from '../certificates.ts'
import { decodePem } from '../pem.ts'
import { validateSignerName } from '../signer-name.ts'
import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '../v1.types.ts'
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
/** Ten minutes. */
const SHORTEST_SECONDS = 600
/** Of a request that is refused, so many bytes are shown. */
const SHOWN_BYTES = 4096

const specPath = fieldPath('spec')
const conditionsPath = fieldPath('status', 'conditions')
const certificatePath = fieldPath('status', 'certificate')

/** What errors said of a missing field before 1.26. */
const missing = (field: string, release: Release): string => (isSince(release, '1.26') ? '' : `${field} must be provided`)

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1')
const certificateOf = ({ status }: CertificateSigningRequest): string => status.certificate ?? ''
const hasTwice = (values: readonly string[]): boolean => new Set(values).size < values.length

/** Base64 as Go's %#v prints the bytes. */
function goBytes(base64: string): Verbatim {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0) return verbatim('[]byte(nil)', () => 'null')
  const shown = Array.from(bytes.subarray(0, SHOWN_BYTES), byte => `0x${byte.toString(16)}`)
  return verbatim(`[]byte{${shown.join(', ')}${bytes.length > SHOWN_BYTES ? ', ...' : ''}}`, () => JSON.stringify(base64))
}

/**
 * The first fault of certificates in PEM: blocks of this type only, without headers, each one certificate. Nothing at all is no fault: the signer has not answered yet.
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

/** Usages are known ones, each once. Unknown or repeated ones pass where the stored request has any of that sort. */
function validateUsages(usages: readonly string[], before: readonly string[], path: FieldPath, release: Release): FieldError[] {
  const errors = usages.length === 0 ? [required(path, missing('usages', release))] : []
  if (before.every(usage => USAGES.includes(usage))) {
    errors.push(...usages.flatMap((usage, i) => (USAGES.includes(usage) ? [] : [notSupported(path.index(i), usage, USAGES)])))
  }
  const again = repeats(usages)
  if (!hasTwice(before)) errors.push(...usages.flatMap((usage, i) => (again[i] ? [duplicate(path.index(i), usage)] : [])))
  return errors
}

/** The legacy signer may be kept by an update and not chosen. `expirationSeconds` has no upper bound. */
function validateSpec(spec: CertificateSigningRequestSpec, old: CertificateSigningRequestSpec | undefined, { release }: Features): FieldError[] {
  const { signerName, expirationSeconds: seconds } = spec
  const request = spec.request ?? ''
  const fault = certificateRequestFault(textOf(request))
  const signer = specPath.child('signerName')
  const isLegacy = signerName === LEGACY_SIGNER && old?.signerName !== LEGACY_SIGNER
  return [
    ...(fault === undefined ? [] : [invalid(specPath.child('request'), goBytes(request), fault)]),
    ...validateUsages(spec.usages ?? [], old?.usages ?? [], specPath.child('usages'), release),
    ...(isLegacy
      ? [invalid(signer, signerName, 'the legacy signerName is not allowed via this API version')]
      : validateSignerName(signerName, signer, missing('signerName', release))),
    ...(seconds !== undefined && seconds < SHORTEST_SECONDS
      ? [invalid(specPath.child('expirationSeconds'), seconds, 'may not specify a duration less than 600 seconds (10 minutes)')]
      : []),
  ]
}

/** Decisions and failures are only ever true; conditions of other types may have any of the three statuses. */
function validateConditionStatus(type: string, status: string, path: FieldPath): FieldError[] {
  if (status === '') return [required(path)]
  const allowed = [APPROVED, DENIED, FAILED].includes(type) ? ['True'] : STATUSES
  return allowed.includes(status) ? [] : [notSupported(path, status, allowed)]
}

/** Each type once, and not both Approved and Denied, unless the old request has such a fault. The error stands at the later of two conditions, since 1.34 at all of them. */
function validateConditions(next: CertificateSigningRequest, old: CertificateSigningRequest | undefined, { release }: Features): FieldError[] {
  const types = allConditions(next).map(({ type }) => type)
  const before = old ? allConditions(old).map(({ type }) => type) : []
  const mayContradict = before.includes(APPROVED) && before.includes(DENIED)
  const mayRepeat = hasTwice(before)
  const mayBeEmpty = before.includes('')
  const again = repeats(types)
  const placeOf = (at: FieldPath): FieldPath => (isSince(release, '1.34') ? conditionsPath : at)
  const firstApproved = types.indexOf(APPROVED)
  const firstDenied = types.indexOf(DENIED)
  const stands = (first: number, i: number): boolean => first >= 0 && first < i
  return allConditions(next).flatMap(({ type, status }, i) => {
    const path = conditionsPath.index(i)
    const at = path.child('type')
    const contradicts = (type === APPROVED && stands(firstDenied, i)) || (type === DENIED && stands(firstApproved, i))
    return [
      ...(type === '' && !mayBeEmpty ? [required(at)] : []),
      ...validateConditionStatus(type, status, path.child('status')),
      ...(contradicts && !mayContradict ? covered('zeroOrOneOf', [invalid(placeOf(at), type, 'Approved and Denied conditions are mutually exclusive')]) : []),
      ...(again[i] && !mayRepeat ? [duplicate(at, type)] : []),
    ]
  })
}

/** A certificate that an update leaves as it is, or that replaces a faulty one, is not looked at. The error does not show it. */
function validateCertificate(next: CertificateSigningRequest, old: CertificateSigningRequest | undefined): FieldError[] {
  if (old && (certificateOf(next) === certificateOf(old) || certificateFault(textOf(certificateOf(old))) !== undefined)) return []
  const fault = certificateFault(textOf(certificateOf(next)))
  return fault === undefined ? [] : [invalid(certificatePath, '<certificate data>', fault)]
}

interface Permissions {
  readonly decision?: boolean
  readonly certificate?: boolean
}

/** Decisions are never taken back, and made through one subresource only; certificates come through another. */
function validateChange(next: CertificateSigningRequest, old: CertificateSigningRequest, may: Permissions): FieldError[] {
  const errors: FieldError[] = []
  const counts = (type: string): [before: number, after: number] => [conditionsOf(old, type).length, conditionsOf(next, type).length]
  for (const type of [APPROVED, DENIED, FAILED]) {
    const [before, after] = counts(type)
    if (after < before) errors.push(forbidden(conditionsPath, `updates may not remove a condition of type ${quote(type)}`))
  }
  for (const type of may.decision ? [] : [APPROVED, DENIED]) {
    const [before, after] = counts(type)
    if (after > before) errors.push(forbidden(conditionsPath, `updates may not add a condition of type ${quote(type)}`))
  }
  if (certificateOf(next) !== certificateOf(old)) {
    if (!may.certificate) errors.push(forbidden(certificatePath, 'updates may not set certificate content'))
    else if (certificateOf(old) !== '') errors.push(forbidden(certificatePath, 'updates may not modify existing certificate content'))
  }
  return errors
}

/** `may`: what the subresource is for. A creation is not held to it, as `prepare` has emptied its status. */
const validateWith =
  (may: Permissions) =>
  (next: CertificateSigningRequest, old: CertificateSigningRequest | undefined, { features }: Pick<HookContext, 'features'>): FieldError[] => [
    ...validateSpec(next.spec, old?.spec, features),
    ...validateConditions(next, old, features),
    ...validateCertificate(next, old),
    ...(old ? validateChange(next, old, may) : []),
  ]

/** A request neither changes nor gets a decision or a certificate by a write of the resource itself. */
export const validateCertificateSigningRequest = validateWith({})
/** Of the subresource `status`: the signer writes the certificate, once. */
export const validateStatus = validateWith({ certificate: true })
/** Of the subresource `approval`: it adds decisions, and takes none back. */
export const validateApproval = validateWith({ decision: true })
