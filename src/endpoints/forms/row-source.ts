import type { KubeObject } from '../../meta/object.ts'
import type { Encoded } from '../../storage/storage.ts'

/** An object of a row whose JSON is ready: a StoredObject, which may keep what was made of it. */
export interface ReadySource {
  object(): KubeObject
  json(): Encoded
  noted?(by: object): unknown
  note?(by: object, value: object, bytes: number): void
}

/** An object of a row, and its JSON where that is ready. */
export type RowSource = ReadySource | { object(): KubeObject; readonly json?: undefined }
