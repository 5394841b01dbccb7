import type { TypedObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'

/**
 * Objects of one kind as they will be when the pods are bound that have a node already. An assumed state counts until
 * the object changes: then the write was observed, or another one was faster. Source: AssumeCache of
 * pkg/scheduler/util.
 */
export class AssumedObjects<T extends TypedObject> {
  readonly #assumed = new Map<string, T>()

  /** Replaces the state of an object. @param object has the resource version of the state that it was made of */
  assume(object: T): void {
    this.#assumed.set(objectKey(object), object)
  }

  /** Forgets the assumed state of an object. */
  forget(object: T): void {
    this.#assumed.delete(objectKey(object))
  }

  /** Returns the assumed state of an object. If there is none, returns the object. */
  latest(object: T): T {
    if (this.#assumed.size === 0) return object
    const assumed = this.#assumed.get(objectKey(object))
    return assumed !== undefined && assumed.metadata.resourceVersion === object.metadata.resourceVersion ? assumed : object
  }
}
