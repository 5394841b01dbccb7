import type { JsonObject } from '../api/meta/object.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import type { ForkResponse } from './fork/fork-client.ts'
import type { InputObject } from './input/input-object.ts'

/** An object that the fork serves, with its namespace. */
export interface PlacedObject {
  readonly object: InputObject
  readonly served: ServedResource
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  /** The object before the check. Undefined if it did not exist. */
  readonly before: JsonObject | undefined
  /** Response to the write. Its object is in the fork, unless it has an error. */
  readonly response: ForkResponse
}
