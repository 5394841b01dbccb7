import type { X509Certificate } from 'node:crypto'
import type { PodCertificateRequest, PodCertificateRequestStatus } from '../../../api/certificates/v1beta1.types.ts'
import { decodePem, type PemBlock } from '../../../lib/decode-pem.ts'
import { formatDuration } from '../../../lib/duration.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, invalidStructure, required, tooLongError, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { longerThan } from '../../../meta/names.ts'
import { printGoTime, timeMillis } from '../../../meta/time.ts'
import { parseCertificate } from '../certificates.ts'
import { KEY_PATH, REQUEST_PATH, requestedKey } from './public-key.ts'

/** Bytes of PEM. */
const LONGEST_CHAIN_BYTES = 100 * 1024
/** Milliseconds. */
const MINUTE = 60_000
/** Milliseconds. Least lifetime of a certificate. */
const HOUR = 60 * MINUTE
/** Least time between the refresh and the start or end of validity, in milliseconds. */
const MARGIN = 10 * MINUTE

/** Path of errors about certificates. */
const CHAIN_PATH = fieldPath('status', 'certificateChain')
/** Path of errors about the start of validity. */
const NOT_BEFORE_PATH = fieldPath('status', 'notBefore')
/** Path of errors about the end of validity. */
const NOT_AFTER_PATH = fieldPath('status', 'notAfter')
/** Path of errors about the time to renew. */
const REFRESH_PATH = fieldPath('status', 'beginRefreshAt')

/**
 * Matches a name in the certificate with its type, as node:crypto lists them: `DNS:example.com, email:ann@example.com`,
 * with quotes around names that contain commas.
 */
const NAME = /(?:^|, )(DNS|email):("(?:[^"\\]|\\.)*"|[^,]*)/g
/** Matches an email address without a display name. */
const ADDRESS = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/

/**
 * Validates the certificate chain of a request; `ctx.now` is in milliseconds. Each check stops at its first error.
 * Source: pkg/apis/certificates/validation in k8s.io/kubernetes.
 */
export function validateIssued(
  { spec, status }: PodCertificateRequest,
  ctx: { readonly now: number; readonly release: Release },
): FieldError[] {
  const chain = status.certificateChain ?? ''
  if (longerThan(chain, LONGEST_CHAIN_BYTES)) return [tooLongError(CHAIN_PATH, LONGEST_CHAIN_BYTES)]
  const [first, ...rest] = decodePem(chain)
  if (!first) return [invalid(CHAIN_PATH, chain, 'issued certificate chain must contain at least one certificate')]
  if (first.type !== 'CERTIFICATE')
    return [invalid(CHAIN_PATH, chain, 'issued certificate chain must consist entirely of CERTIFICATE PEM blocks')]
  const leaf = parseCertificate(first.bytes)
  if (!leaf) return [invalid(CHAIN_PATH, chain, 'leaf certificate does not parse as valid X.509')]
  const errors = isSince(ctx.release, '1.35') ? validateAlternativeNames(leaf) : []
  const key = requestedKey(spec)
  if (!key) {
    const unread = spec.stubPKCS10Request
      ? invalidStructure(REQUEST_PATH, 'must be a valid PKCS#10 CSR')
      : invalidStructure(KEY_PATH, 'must be a valid PKIX-serialized public key')
    return [...errors, unread]
  }
  if (!key.equals(leaf.publicKey))
    return [...errors, invalid(CHAIN_PATH, chain, 'leaf certificate was not issued to the requested public key')]
  errors.push(...validateTimesAreSet(status))
  if (errors.length > 0) return errors
  return firstErrors(
    () => validateTimes(status, leaf, ctx.now),
    () => validateLifetime(leaf, spec.maxExpirationSeconds ?? 0),
    () => validateRefresh(status),
    () => validateIntermediates(rest, chain),
  )
}

/** Returns the errors of the first check that has any. */
function firstErrors(...checks: readonly (() => FieldError[])[]): FieldError[] {
  for (const check of checks) {
    const errors = check()
    if (errors.length > 0) return errors
  }
  return []
}

/** Checks DNS names and email addresses. Other types of names are not checked. */
function validateAlternativeNames({ subjectAltName = '' }: X509Certificate): FieldError[] {
  const names = Array.from(subjectAltName.matchAll(NAME), ([, type, name = '']) => ({
    type,
    name: name.startsWith('"') ? String(JSON.parse(name)) : name,
  }))
  const domains = names.filter(({ type }) => type === 'DNS').map(({ name }) => name)
  return [
    ...domains.flatMap(name => [
      ...(name === '' ? [invalid(CHAIN_PATH, name, 'leaf certificate should not contain empty DNSName')] : []),
      ...(name.includes('..') ? [invalid(CHAIN_PATH, name, "leaf certificate's DNSName should not contain '..'")] : []),
      ...(name.startsWith('.') || name.endsWith('.')
        ? [invalid(CHAIN_PATH, name, "leaf certificate's DNSName should not start or end with '.'")]
        : []),
    ]),
    ...names
      .filter(({ type, name }) => type === 'email' && !ADDRESS.test(name))
      .map(({ name }) => invalid(CHAIN_PATH, name, 'leaf certificate should not contain invalid EmailAddress')),
  ]
}

/** Checks that an issued request has all three times. */
function validateTimesAreSet({ notBefore, notAfter, beginRefreshAt }: PodCertificateRequestStatus): FieldError[] {
  const consistent = 'must be present and consistent with the issued certificate'
  return [
    ...(notBefore ? [] : [required(NOT_BEFORE_PATH, consistent)]),
    ...(notAfter ? [] : [required(NOT_AFTER_PATH, consistent)]),
    ...(beginRefreshAt ? [] : [required(REFRESH_PATH, 'must be present and in the range [notbefore+10min, notafter-10min]')]),
  ]
}

const goTime = (text: string | null | undefined): Verbatim =>
  verbatim(printGoTime(text ?? ''), () => JSON.stringify(text ?? '0001-01-01T00:00:00Z'))

/**
 * Checks that the times in the status are those of the certificate, and that its validity begins within 5 minutes of
 * `now`.
 */
function validateTimes({ notBefore, notAfter }: PodCertificateRequestStatus, leaf: X509Certificate, now: number): FieldError[] {
  const begin = timeMillis(notBefore) ?? 0
  if (begin !== Date.parse(leaf.validFrom))
    return [invalid(NOT_BEFORE_PATH, goTime(notBefore), 'must be set to the NotBefore time encoded in the leaf certificate')]
  if (Math.abs(begin - now) >= 5 * MINUTE)
    return [invalid(NOT_BEFORE_PATH, goTime(notBefore), "must be set to within 5 minutes of kube-apiserver's current time")]
  if (timeMillis(notAfter) !== Date.parse(leaf.validTo))
    return [invalid(NOT_AFTER_PATH, goTime(notAfter), 'must be set to the NotAfter time encoded in the leaf certificate')]
  return []
}

/** Checks the lifetime of the certificate itself: at least an hour, at most the requested seconds. */
function validateLifetime({ validFrom, validTo }: X509Certificate, mostSeconds: number): FieldError[] {
  const lifetime = Date.parse(validTo) - Date.parse(validFrom)
  const nanos = BigInt(lifetime) * 1_000_000n
  const shown = verbatim(formatDuration(nanos), () => String(nanos))
  if (lifetime < HOUR) return [invalid(CHAIN_PATH, shown, 'leaf certificate lifetime must be >= 1 hour')]
  if (lifetime > mostSeconds * 1000)
    return [invalid(CHAIN_PATH, shown, `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${mostSeconds})`)]
  return []
}

/** Checks that the refresh begins 10 minutes or more after the start and before the end. */
function validateRefresh({ notBefore, notAfter, beginRefreshAt }: PodCertificateRequestStatus): FieldError[] {
  const refresh = timeMillis(beginRefreshAt) ?? 0
  if (refresh < (timeMillis(notBefore) ?? 0) + MARGIN)
    return [invalid(REFRESH_PATH, goTime(beginRefreshAt), 'must be at least 10 minutes after status.notBefore')]
  if (refresh > (timeMillis(notAfter) ?? 0) - MARGIN)
    return [invalid(REFRESH_PATH, goTime(beginRefreshAt), 'must be at least 10 minutes before status.notAfter')]
  return []
}

/** Does not check whether a certificate is the issuer of the previous one. */
function validateIntermediates(blocks: readonly PemBlock[], chain: string): FieldError[] {
  for (const { type, bytes } of blocks) {
    if (type !== 'CERTIFICATE')
      return [invalid(CHAIN_PATH, chain, 'issued certificate chain must consist entirely of CERTFICATE PEM blocks')]
    if (!parseCertificate(bytes)) return [invalid(CHAIN_PATH, chain, 'intermediate certificate does not parse as valid X.509')]
  }
  return []
}
