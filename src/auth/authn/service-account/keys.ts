import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { errorMessage } from '../../../lib/error-message.ts'
import { pemBlocks } from '../../../lib/pem-blocks.ts'

/** A public key that verifies token signatures. */
export interface VerificationKey {
  /** Key ID in token headers: SHA-256 of the public key's DER, base64url. An external signer may use other IDs. */
  readonly id: string
  /** RS256, ES256, ES384 or ES512 (RFC 7518). */
  readonly algorithm: string
  readonly publicKey: KeyObject
  /** Optional. Whether the key verifies tokens but is not published. */
  readonly excludedFromDiscovery?: boolean
}

/** The private key that signs tokens. */
export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }

/** Signature algorithm of a key (RFC 7518): RS256 for RSA; ES256, ES384 or ES512 by curve. */
function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return 'RS256'
  const algorithm = key.asymmetricKeyType === 'ec' ? CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''] : undefined
  if (algorithm === undefined) throw new Error('must be a key of RSA, or of the curves P-256, P-384 or P-521')
  return algorithm
}

/** Creates a verification key. Throws an Error if the type is not supported. */
export function verificationKey(publicKey: KeyObject): VerificationKey {
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
  return { id, algorithm: algorithmOf(publicKey), publicKey }
}

/**
 * Reads all keys of a `--service-account-key-file`: public keys, certificates, or private keys, of which the public
 * part is used. Throws an Error that names the file.
 */
export function readVerificationKeys(pem: string, file: string): VerificationKey[] {
  const blocks = [...pemBlocks(pem)].filter(({ label }) => label.endsWith('KEY') || label === 'CERTIFICATE')
  if (blocks.length === 0)
    throw new Error(`error reading public key file ${file}: data does not contain any valid RSA or ECDSA public keys`)
  return blocks.map(({ text }) => {
    try {
      return verificationKey(createPublicKey(text))
    } catch (error) {
      throw new Error(`error reading public key file ${file}: ${errorMessage(error)}`)
    }
  })
}

/** Reads the key of `--service-account-signing-key-file`. Throws an Error that names the file. */
export function readSigningKey(pem: string, file: string): SigningKey {
  try {
    const privateKey = createPrivateKey(pem)
    return { ...verificationKey(createPublicKey(privateKey)), privateKey }
  } catch (error) {
    throw new Error(`failed to parse service-account-issuer-key-file ${file}: ${errorMessage(error)}`)
  }
}

/** Generates an RSA key of 2048 bits. Returns PEM (PKCS #8). */
export async function generateSigningKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
