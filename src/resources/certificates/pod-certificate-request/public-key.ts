import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { PodCertificateRequestSpec } from '../../../api/certificates/v1beta1.types.ts'
import { readCertificateRequest } from '../../../lib/certificate-request.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, invalidStructure, tooLongError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { goMember } from '../../shared/go-values.ts'

/** Limit on the bytes of a key, a proof or a request. */
const LONGEST_BYTES = 10 * 1024
/** Names in node:crypto of the NIST curves: those that are allowed, and the one that is not. */
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1']
/** Go parses keys of this curve, so it has its own message. */
const OTHER_CURVE = 'secp224r1'
/** Bits of RSA moduli, rounded up to whole bytes. */
const MODULI: readonly (number | undefined)[] = [3072, 4096]
/** Parameters with which a salt of any length is accepted. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
/** Message for keys of other algorithms. */
const UNKNOWN_TYPE = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA'

/** Path of errors about the key in the spec. */
export const KEY_PATH = fieldPath('spec', 'pkixPublicKey')
/** Path of errors about the signature of the pod's UID. */
const PROOF_PATH = fieldPath('spec', 'proofOfPossession')
/** Path of errors about the PKCS#10 request. */
export const REQUEST_PATH = fieldPath('spec', 'stubPKCS10Request')

const decodeBase64Key = (base64: string | null | undefined): Buffer => Buffer.from(base64 ?? '', 'base64')

/** Returns the requested key: that of the PKCS#10 request if there is one. Undefined if it cannot be parsed. */
export function requestedKey({ stubPKCS10Request, pkixPublicKey }: PodCertificateRequestSpec): KeyObject | undefined {
  try {
    return stubPKCS10Request
      ? readCertificateRequest(decodeBase64Key(stubPKCS10Request)).key
      : createPublicKey({ key: decodeBase64Key(pkixPublicKey), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/**
 * Validates a key in DER, and its signature of the pod's UID. The signature is over the SHA-256 digest, except for
 * Ed25519.
 */
export function validateKeyAndProof(spec: PodCertificateRequestSpec): FieldError[] {
  const [encoded, proof] = [decodeBase64Key(spec.pkixPublicKey), decodeBase64Key(spec.proofOfPossession)]
  if (encoded.length > LONGEST_BYTES) return [tooLongError(KEY_PATH, LONGEST_BYTES)]
  if (proof.length > LONGEST_BYTES) return [tooLongError(PROOF_PATH, LONGEST_BYTES)]
  const key = requestedKey(spec)
  const shown = (): unknown => goMember('certificatesv1beta1.PodCertificateRequestSpec', 'pkixPublicKey', spec.pkixPublicKey)
  // Keys whose curve or RSA form Go cannot parse are invalid.
  if (!key || !isReadByGo(key)) return [invalid(KEY_PATH, shown(), 'must be a valid PKIX-serialized public key')]
  const faults = validateKey(key, KEY_PATH, 'elliptic public keys must use curve P256 or P384', () =>
    invalid(KEY_PATH, shown(), UNKNOWN_TYPE),
  )
  if (faults.length > 0) return faults
  return isProof(key, Buffer.from(spec.podUID), proof)
    ? []
    : [invalidStructure(PROOF_PATH, 'could not verify proof-of-possession signature')]
}

/** Validates a PKCS#10 request, which must be signed by its own key. Its other contents are not checked. */
export function validateStubRequest({ stubPKCS10Request }: PodCertificateRequestSpec): FieldError[] {
  const der = decodeBase64Key(stubPKCS10Request)
  if (der.length > LONGEST_BYTES) return [tooLongError(REQUEST_PATH, LONGEST_BYTES)]
  let request: ReturnType<typeof readCertificateRequest>
  try {
    request = readCertificateRequest(der)
  } catch {
    return [invalidStructure(REQUEST_PATH, 'must be a valid PKCS#10 CSR')]
  }
  const faults = validateKey(request.key, REQUEST_PATH, 'elliptic public keys must use curve P256, P384, or P521', () =>
    invalidStructure(REQUEST_PATH, UNKNOWN_TYPE),
  )
  if (faults.length > 0) return faults
  return request.isSigned ? [] : [invalidStructure(REQUEST_PATH, 'invalid signature')]
}

/** Whether crypto/x509 parses a key that node:crypto has parsed. It knows no RSA-PSS keys and only NIST curves. */
function isReadByGo({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): boolean {
  const curve = asymmetricKeyDetails?.namedCurve
  return type !== 'rsa-pss' && (type !== 'ec' || CURVES.includes(curve) || curve === OTHER_CURVE)
}

/**
 * Checks type and size of a key. `curves` is the message about a curve that is not allowed; `unknown` creates the error
 * about a type that is not.
 */
function validateKey(
  { asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject,
  path: FieldPath,
  curves: string,
  unknown: () => FieldError,
): FieldError[] {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {}
  switch (type) {
    case 'ed25519':
      return []
    case 'ec':
      return CURVES.includes(namedCurve) ? [] : [invalid(path, `curve ${namedCurve === OTHER_CURVE ? 'P-224' : namedCurve}`, curves)]
    case 'rsa': {
      const bits = Math.ceil(modulusLength / 8) * 8
      return MODULI.includes(bits) ? [] : [invalid(path, `${bits}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096')]
    }
    default:
      return [unknown()]
  }
}

/** Whether the proof is a signature of the text. A malformed proof is no error, but false. */
function isProof(key: KeyObject, text: Buffer, proof: Buffer): boolean {
  const [digest, padding] = key.asymmetricKeyType === 'rsa' ? ['sha256', PSS] : [key.asymmetricKeyType === 'ec' ? 'sha256' : undefined, {}]
  try {
    return verify(digest, text, { key, ...padding }, proof)
  } catch {
    return false
  }
}
