import type { ObjectReference } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { apiVersionOf } from '../../meta/gvk.ts'

/**
 * Returns a reference to an object as it is now. @param kind kind of the object, which objects from a cache need not
 * carry
 */
export function objectReference<T extends TypedObject>(kind: ResourceKind<T>, { metadata }: T): ObjectReference {
  const { namespace, name = '', uid, resourceVersion } = metadata
  return {
    kind: kind.kind,
    ...(namespace !== undefined && { namespace }),
    name,
    ...(uid !== undefined && { uid }),
    apiVersion: apiVersionOf(kind),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}
