import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Json, JsonObject } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'

/** A public key of an issuer. */
export interface IssuerKey {
  /** Key ID. Empty if it has none. */
  readonly id: string
  /** Undefined for key types that cannot sign tokens. */
  readonly key: KeyObject | undefined
}

/** Larger key sets are rejected: a token without key ID is verified with every key, at about 100 µs each. */
const MOST_KEYS = 200

/**
 * Parses a JSON Web Key Set (RFC 7517), in steps. Throws an Error if a key is invalid, with go-jose's message if it has
 * one.
 */
export function* readKeySet(set: Json): Steps<readonly IssuerKey[]> {
  if (typeof set !== 'object' || set === null || Array.isArray(set))
    throw new Error('json: cannot unmarshal into Go value of type jose.JSONWebKeySet')
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

/**
 * Parses a JSON Web Key. Keys of types that sign no tokens here have no key object. Throws an Error with go-jose's
 * message.
 */
function readKey(jwk: Json): IssuerKey {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk))
    throw new Error('json: cannot unmarshal into Go value of type jose.rawJSONWebKey')
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

/**
 * Maximum size of modulus and exponent in bytes: the limits of OpenSSL and Go. A verification with an exponent of 3,072
 * bits would take 20 ms.
 */
const MAX_MODULUS_BYTES = 2048
const MAX_EXPONENT_BYTES = 4

/** Whether Go accepts the size of an RSA key. */
function isUsable({ n, e }: JsonObject): boolean {
  const fits = (value: Json | undefined, bytes: number): boolean =>
    typeof value !== 'string' || Buffer.byteLength(value, 'base64url') <= bytes
  return fits(n, MAX_MODULUS_BYTES + 1) && fits(e, MAX_EXPONENT_BYTES)
}

/** Public members of a key, which may be a private one. */
function publicMembers({ kty, crv, x, y, n, e }: JsonObject): JsonWebKey {
  const found: JsonWebKey = {}
  for (const [name, value] of Object.entries({ kty, crv, x, y, n, e })) if (typeof value === 'string') found[name] = value
  return found
}
