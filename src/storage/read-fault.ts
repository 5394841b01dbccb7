import type { Key, Revision } from './revision.ts'

/**
 * Why a stored value cannot be read: it cannot be transformed (decrypted), or the transformed bytes cannot be decoded.
 */
export interface ReadFault {
  readonly key: Key
  readonly kind: 'untransformable' | 'undecodable'
  readonly text: string
  readonly revision: Revision
}
