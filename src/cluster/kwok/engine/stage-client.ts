import type { Json, TypedObject } from '../../../api/meta/object.ts'
import type { RenderedWrite } from '../stage/actions.ts'
import type { StageEvent } from '../stage/stage.ts'
import type { StagedObject } from './stage-engine.ts'

/** Requests that stages make. Each rejects with a StatusError if the server rejects the request. */
export interface StageClient {
  /** Patches an object, or its subresource, and returns the result. */
  patch(object: TypedObject, write: RenderedWrite): Promise<StagedObject>
  /** Deletes an object without a grace period. */
  delete(object: TypedObject): Promise<void>
  /**
   * Creates another object, or patches it if it exists or if a subresource is named. A namespaced object without a
   * namespace gets that of `source`.
   */
  apply(source: TypedObject, write: RenderedWrite & { readonly data: Json }): Promise<void>
  createEvent(object: TypedObject, event: StageEvent): Promise<void>
}
