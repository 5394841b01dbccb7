import { randomBytes } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { TOO_SHORT, TransformError, type Transformer } from './transformer.ts'

const NONCE = 24
const TAG = 16

/**
 * NaCl's secretbox (XSalsa20 and Poly1305): a random nonce of twenty-four bytes, the tag, and the ciphertext. The key
 * in the store is not authenticated.
 */
export function secretbox(secret: Buffer): Transformer {
  return {
    toStorage(value) {
      const nonce = randomBytes(NONCE)
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(value)])
    },
    fromStorage(stored) {
      if (stored.length < NONCE + TAG) throw new TransformError(TOO_SHORT)
      const opened = open(secret, stored)
      return { value: Buffer.from(opened.buffer, opened.byteOffset, opened.length), stale: false }
    },
  }
}

function open(secret: Buffer, stored: Buffer): Uint8Array {
  try {
    return xsalsa20poly1305(secret, stored.subarray(0, NONCE)).decrypt(stored.subarray(NONCE))
  } catch {
    // kube-apiserver's message for a value that is not authentic.
    throw new TransformError('output array was not large enough for encryption')
  }
}
