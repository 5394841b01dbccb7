import type { KubeObject } from '../../meta/object.ts'
import type { Encoded } from '../../storage/storage.ts'

/** An object of a row, and its JSON where that is ready. */
export interface RowSource {
  object(): KubeObject
  json?(): Encoded
  noted?(by: object): unknown
  note?(by: object, value: object, bytes: number): void
}
