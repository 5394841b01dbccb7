import type { Key, Revision } from './revision.ts'

/** Why a stored value is no object: it can't be transformed (decrypted), or what came of that can't be decoded. */
export interface ReadFault {
  readonly key: Key
  readonly kind: 'untransformable' | 'undecodable'
  readonly text: string
  readonly revision: Revision
}
