import { type CipherGCMTypes, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { invariant } from '../../lib/invariant.ts'
import { TOO_SHORT, TransformError, type Transformer } from './transformer.ts'

const NONCE = 12
const TAG = 16

/** By the number of bytes of the secret, which validation has checked. */
const ALGORITHMS: Readonly<Record<number, CipherGCMTypes>> = { 16: 'aes-128-gcm', 24: 'aes-192-gcm', 32: 'aes-256-gcm' }

/**
 * AES-GCM: a random nonce of twelve bytes, the ciphertext, and a tag of sixteen bytes. The store's key is authenticated
 * as additional data. Because nonces are random, a secret must be replaced long before 2^32 writes (NIST SP 800-38D).
 */
export function aesGcm(secret: Buffer): Transformer {
  const algorithm = ALGORITHMS[secret.length]
  invariant(algorithm, 'a secret of AES has 16, 24 or 32 bytes')
  const options = { authTagLength: TAG }
  return {
    toStorage(value, key) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv(algorithm, secret, nonce, options).setAAD(Buffer.from(key))
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()])
    },
    fromStorage(stored, key) {
      if (stored.length < NONCE) throw new TransformError(TOO_SHORT)
      if (stored.length < NONCE + TAG) throw notAuthentic()
      const end = stored.length - TAG
      const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, NONCE), options)
      decipher.setAAD(Buffer.from(key)).setAuthTag(stored.subarray(end))
      const value = decipher.update(stored.subarray(NONCE, end))
      try {
        return { value: Buffer.concat([value, decipher.final()]), stale: false }
      } catch {
        throw notAuthentic()
      }
    },
  }
}

const notAuthentic = () => new TransformError('cipher: message authentication failed')
