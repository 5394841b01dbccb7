import { TransformError, type Transformer } from './transformer.ts'

/** Prefix of every encrypted value, and of no other: JSON begins with a brace, protobuf with `k8s\0`. */
const ENCRYPTED = Buffer.from('k8s:enc:')

/** Stores values unchanged. Refuses to read encrypted ones. */
export const identity: Transformer = {
  isIdentity: () => true,
  toStorage: value => value,
  fromStorage(stored) {
    // The comparison costs more than the rest of reading a small object.
    if (stored[0] === ENCRYPTED[0] && stored.length >= ENCRYPTED.length && ENCRYPTED.compare(stored, 0, ENCRYPTED.length) === 0)
      throw new TransformError('identity transformer tried to read encrypted data')
    return { value: stored, stale: false }
  },
}
