import { createHmac, randomBytes } from 'node:crypto'
import { aesGcm } from '../aes-gcm.ts'
import { TOO_SHORT, TransformError, type Transformer } from '../transformer.ts'

/** Size of the random bytes that distinguish derived keys, and minimum size of a seed, in bytes. */
const INFO = 32
export const SEED_BYTES = 32

/** HKDF's expansion (RFC 5869, 2.3) with SHA-256: thirty-two bytes are one block of it. */
const derive = (seed: Buffer, info: Buffer): Buffer => createHmac('sha256', seed).update(info).update(Buffer.of(1)).digest()

/**
 * AES-256-GCM with a key of its own for each value, derived from a seed and thirty-two random bytes, which precede the
 * output of AES-GCM. A seed may be used for any number of values. Source: k8s.io/apiserver,
 * pkg/storage/value/encrypt/aes/aes_extended_nonce.go.
 */
export function derivedKeys(seed: Buffer): Transformer {
  if (seed.length < SEED_BYTES) throw new TransformError(`invalid seed length ${seed.length} used for key generation`)
  return {
    toStorage(value, key) {
      const info = randomBytes(INFO)
      return Buffer.concat([info, aesGcm(derive(seed, info)).toStorage(value, key)])
    },
    fromStorage(stored, key) {
      if (stored.length < INFO) throw new TransformError(TOO_SHORT)
      return aesGcm(derive(seed, stored.subarray(0, INFO))).fromStorage(stored.subarray(INFO), key)
    },
  }
}
