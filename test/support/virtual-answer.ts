import type { Embedded, TypedObject } from '../../src/api/meta/object.ts'
import { decodedObject } from '../../src/api/meta/object.ts'
import type { VirtualResult } from '../../src/catalog/definition.ts'
import type { AnyObject } from './any-object.ts'

/** Returns the object in the response of a virtual resource. */
export function answeredObject(answer: VirtualResult | undefined): AnyObject {
  if (answer === undefined || !('object' in answer)) throw new Error('the answer is no object')
  return decodedObject(answer.object)
}

export function answeredItems(answer: VirtualResult | undefined): readonly Embedded<TypedObject>[] {
  if (answer === undefined || !('items' in answer)) throw new Error('the answer is no list')
  return answer.items
}
