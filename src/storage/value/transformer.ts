import type { Key } from '../revision.ts'

/** A decrypted stored value. */
export interface Opened {
  readonly value: Buffer
  /**
   * Whether the value would be written in another form now, for example with a newer key or another provider. Writing
   * the same content is then not skipped.
   */
  readonly stale: boolean
}

/**
 * Converts values to their stored form and back. `key` is the whole key in the store. If the form allows it, the key is
 * authenticated, so that a stored value cannot be moved to another key.
 */
export interface Transformer {
  /**
   * Returns the stored form, which differs each time if it is encrypted. The value is not modified, and may itself be
   * returned. Throws TransformError if there is no key to write with.
   */
  toStorage(value: Buffer, key: Key): Buffer
  /** Throws TransformError if there is no key for the value, or if the value was tampered with. */
  fromStorage(stored: Buffer, key: Key): Opened
  /** Optional. Reports whether values are stored as they are encoded. The configuration may change that. */
  readonly isIdentity?: () => boolean
}

/** Failure to decrypt or encrypt a value. The messages are kube-apiserver's. */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  /** Whether a later attempt may succeed: a key management service has not responded. */
  readonly mayPass: boolean

  constructor(message: string, mayPass = false) {
    super(message)
    this.mayPass = mayPass
  }
}

export const TOO_SHORT = 'the stored data was shorter than the required size'
