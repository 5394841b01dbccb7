import type { Key } from '../revision.ts'

/** What a stored value turns out to be. */
export interface Opened {
  readonly value: Buffer
  /** The store holds it in another form than would be written now (an older key, another provider): the same content is worth a write. */
  readonly stale: boolean
}

/** Turns values into what the store holds, and back. `key` is the whole key in the store; where the form can, it is authenticated, so that a value can't be moved to another key. */
export interface Transformer {
  /** Another result each time where it encrypts. The value is not changed, and may be the result. Throws TransformError where there is no key to write with. */
  toStorage(value: Buffer, key: Key): Buffer
  /** Throws TransformError where it has no key for the value, or the value was changed. */
  fromStorage(stored: Buffer, key: Key): Opened
}

/** A stored value that can't be turned back, or one that can't be encrypted. The texts are kube-apiserver's. */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  /** It is a key management service that does not answer, and may answer later. */
  readonly mayPass: boolean

  constructor(message: string, mayPass = false) {
    super(message)
    this.mayPass = mayPass
  }
}

export const TOO_SHORT = 'the stored data was shorter than the required size'
