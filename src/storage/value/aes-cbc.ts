import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { TOO_SHORT, TransformError, type Transformer } from './transformer.ts'

const BLOCK = 16

/**
 * AES-CBC with PKCS#7 padding: sixteen random bytes (the initialization vector), then the ciphertext. Nothing is
 * authenticated.
 */
export function aesCbc(secret: Buffer): Transformer {
  const algorithm = `aes-${secret.length * 8}-cbc`
  return {
    toStorage(value) {
      const iv = randomBytes(BLOCK)
      const cipher = createCipheriv(algorithm, secret, iv)
      return Buffer.concat([iv, cipher.update(value), cipher.final()])
    },
    fromStorage(stored) {
      if (stored.length < BLOCK) throw new TransformError(TOO_SHORT)
      if (stored.length % BLOCK !== 0) throw new TransformError('the stored data is not a multiple of the block size')
      const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, BLOCK)).setAutoPadding(false)
      return { value: withoutPadding(Buffer.concat([decipher.update(stored.subarray(BLOCK)), decipher.final()])), stale: false }
    },
  }
}

/** Removes the padding. It is checked here and not by OpenSSL, because kube-apiserver distinguishes its two faults. */
function withoutPadding(padded: Buffer): Buffer {
  const size = padded.at(-1) ?? 0
  if (size === 0 || size > padded.length) throw new TransformError('invalid PKCS7 data (empty or not padded)')
  const end = padded.length - size
  for (let i = end; i < padded.length; i++) if (padded[i] !== size) throw new TransformError('invalid padding on input')
  return padded.subarray(0, end)
}
