import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import type { Steps } from '../../../lib/steps.ts'
import type { Json, JsonObject } from '../../../meta/object.ts'
import type { CompactToken } from './compact-token.ts'

/** A public key of an issuer. */
export interface IssuerKey {
  /** Key ID. Empty if it has none. */
  readonly id: string
  /** Undefined for key types that cannot sign tokens. */
  readonly key: KeyObject | undefined
}

/** How an algorithm is verified. */
interface Algorithm {
  readonly type: 'rsa' | 'ec'
  readonly hash: string
  readonly isPss?: true
  /** Length of an ECDSA signature. */
  readonly signatureBytes?: number
}

/** Asymmetric algorithms of RFC 7518. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  ES256: { type: 'ec', hash: 'sha256', signatureBytes: 64 },
  ES384: { type: 'ec', hash: 'sha384', signatureBytes: 96 },
  ES512: { type: 'ec', hash: 'sha512', signatureBytes: 132 },
  PS256: { type: 'rsa', hash: 'sha256', isPss: true },
  PS384: { type: 'rsa', hash: 'sha384', isPss: true },
  PS512: { type: 'rsa', hash: 'sha512', isPss: true },
  RS256: { type: 'rsa', hash: 'sha256' },
  RS384: { type: 'rsa', hash: 'sha384' },
  RS512: { type: 'rsa', hash: 'sha512' },
}

/** Supported signature algorithms, sorted by name. */
export const SIGNING_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS)

/** Whether the key signed the token with the algorithm in its header. */
export function isSignedBy({ algorithm: name, isCritical, signed, signature }: CompactToken, { key }: IssuerKey): boolean {
  const algorithm = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined
  if (isCritical || key === undefined || algorithm === undefined || key.asymmetricKeyType !== algorithm.type) return false
  const { hash, isPss, signatureBytes } = algorithm
  if (signatureBytes !== undefined && signature.length !== signatureBytes) return false
  const data = Buffer.from(signed)
  try {
    if (isPss) return verify(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }, signature)
    return verify(hash, data, signatureBytes === undefined ? key : { key, dsaEncoding: 'ieee-p1363' }, signature)
  } catch {
    // The signature is not valid for the curve.
    return false
  }
}

/** Larger key sets are rejected: a token without key ID is verified with every key, at about 50 µs each. */
const MOST_KEYS = 200

/** Parses a JSON Web Key Set (RFC 7517), in steps. Throws an Error if a key is invalid, with go-jose's message if it has one. */
export function* readKeySet(set: Json): Steps<readonly IssuerKey[]> {
  if (typeof set !== 'object' || set === null || Array.isArray(set)) throw new Error('json: cannot unmarshal into Go value of type jose.JSONWebKeySet')
  const { keys = null } = set
  if (keys === null) return []
  if (!Array.isArray(keys)) throw new Error('json: cannot unmarshal into Go value of type []jose.JSONWebKey')
  if (keys.length > MOST_KEYS) throw new Error(`${keys.length} keys are more than ${MOST_KEYS}`)
  const read: IssuerKey[] = []
  for (const key of keys) {
    read.push(readKey(key))
    yield
  }
  return read
}

/** Parses a JSON Web Key. Keys of types that sign no tokens here have no key object. Throws an Error with go-jose's message. */
function readKey(jwk: Json): IssuerKey {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) throw new Error('json: cannot unmarshal into Go value of type jose.rawJSONWebKey')
  const { kty = '', kid = '' } = jwk
  if (typeof kty !== 'string' || typeof kid !== 'string') throw new Error('json: cannot unmarshal into Go value of type string')
  if (kty === 'oct' || (kty === 'OKP' && jwk.crv === 'Ed25519')) return { id: kid, key: undefined }
  if (kty === 'OKP') throw new Error(`go-jose/go-jose: unknown curve ${jwk.crv}'`)
  if (kty !== 'RSA' && kty !== 'EC') throw new Error(`go-jose/go-jose: unknown json web key type '${kty}'`)
  if (kty === 'RSA' && !isUsable(jwk)) return { id: kid, key: undefined }
  try {
    return { id: kid, key: createPublicKey({ key: publicMembers(jwk), format: 'jwk' }) }
  } catch {
    throw new Error(`go-jose/go-jose: invalid ${kty} key, missing ${kty === 'RSA' ? 'n/e' : 'x/y'} values`)
  }
}

/** Maximum size of modulus and exponent in bytes: the limits of OpenSSL and Go. A verification with an exponent of 3,072 bits would take 20 ms. */
const MAX_MODULUS_BYTES = 2048
const MAX_EXPONENT_BYTES = 4

/** Whether Go accepts the size of an RSA key. */
function isUsable({ n, e }: JsonObject): boolean {
  const fits = (value: Json | undefined, bytes: number): boolean => typeof value !== 'string' || Buffer.byteLength(value, 'base64url') <= bytes
  return fits(n, MAX_MODULUS_BYTES + 1) && fits(e, MAX_EXPONENT_BYTES)
}

/** Public members of a key, which may be a private one. */
function publicMembers({ kty, crv, x, y, n, e }: JsonObject): JsonWebKey {
  const found: JsonWebKey = {}
  for (const [name, value] of Object.entries({ kty, crv, x, y, n, e })) if (typeof value === 'string') found[name] = value
  return found
}
