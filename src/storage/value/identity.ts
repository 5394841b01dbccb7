import { TransformError, type Transformer } from './transformer.ts'

/** Every encrypted value begins with it, and no other does: JSON begins with a brace, protobuf with `k8s\0`. */
const ENCRYPTED = Buffer.from('k8s:enc:')

/** Leaves values as they are. Those that are encrypted are not its own. */
export const identity: Transformer = {
  toStorage: value => value,
  fromStorage(stored) {
    if (stored.length >= ENCRYPTED.length && ENCRYPTED.compare(stored, 0, ENCRYPTED.length) === 0)
      throw new TransformError('identity transformer tried to read encrypted data')
    return { value: stored, stale: false }
  },
}
