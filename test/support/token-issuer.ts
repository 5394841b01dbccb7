import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A key that signs tokens of an issuer in a test. */
export interface SigningKey {
  readonly id: string
  readonly algorithm: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }

/** A new key for an algorithm of RFC 7518. */
export function signingKey(id: string, algorithm = 'RS256'): SigningKey {
  const curve = CURVES[algorithm]
  const pair = curve === undefined ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: curve })
  return { id, algorithm, ...pair }
}

/** Returns the public key as a JSON Web Key. */
export const publicJwk = ({ id, algorithm, publicKey }: SigningKey): Record<string, unknown> => ({
  ...publicKey.export({ format: 'jwk' }),
  kid: id,
  alg: algorithm,
  use: 'sig',
})

const encoded = (text: string): string => Buffer.from(text).toString('base64url')

/** A compact token with these claims, as text or as an object. `header`: members besides `alg` and `kid`. */
export function signedToken(key: SigningKey, claims: string | object, header: object = {}): string {
  const body = typeof claims === 'string' ? claims : JSON.stringify(claims)
  const signed = `${encoded(JSON.stringify({ alg: key.algorithm, kid: key.id, ...header }))}.${encoded(body)}`
  return `${signed}.${signatureOf(key, Buffer.from(signed)).toString('base64url')}`
}

function signatureOf({ algorithm, privateKey: key }: SigningKey, data: Buffer): Buffer {
  const hash = `sha${algorithm.slice(2)}`
  if (algorithm.startsWith('ES')) return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' })
  if (algorithm.startsWith('PS'))
    return sign(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST })
  return sign(hash, data, key)
}
