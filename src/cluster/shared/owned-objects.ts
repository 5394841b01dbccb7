import type { TypedObject } from '../../api/meta/object.ts'
import { objectKey, type ResourceKind } from '../../clients/api-client.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { Informer } from './informer.ts'
import { controllerOf } from './owner.ts'

/** Informers of owners and of what they own, and what connects them. */
export interface OwnedObjectsOptions<O extends TypedObject, T extends TypedObject> {
  readonly objects: Informer<T>
  readonly owners: Informer<O>
  /** Kind of the owners. */
  readonly kind: ResourceKind<O>
  /** Whether the selector of an owner matches an object. */
  readonly matches: (owner: O, object: T) => boolean
  /** Called with the key of an owner. */
  readonly enqueue: (key: string) => void
}

/**
 * Enqueues the owner of each object that changes, and for an object without a controller the owners that may adopt it.
 */
export function followOwned<O extends TypedObject, T extends TypedObject>({
  objects,
  owners,
  kind,
  matches,
  enqueue,
}: OwnedObjectsOptions<O, T>): void {
  const enqueueOwner = (object: T): void => {
    const reference = controllerOf(object)
    if (reference?.kind !== kind.kind) return
    const key = `${object.metadata.namespace}/${reference.name}`
    if (owners.store.get(key)?.metadata.uid === reference.uid) enqueue(key)
  }
  const enqueueAdopters = (object: T): void => {
    for (const owner of owners.store.inNamespace(object.metadata.namespace ?? '')) if (matches(owner, object)) enqueue(objectKey(owner))
  }
  objects.on({
    added: object => (controllerOf(object) ? enqueueOwner(object) : enqueueAdopters(object)),
    updated(object, old) {
      const hasNewOwner = controllerOf(object)?.uid !== controllerOf(old)?.uid
      if (hasNewOwner) enqueueOwner(old)
      if (controllerOf(object)) enqueueOwner(object)
      else if (hasNewOwner || !deepEqual(object.metadata.labels ?? {}, old.metadata.labels ?? {})) enqueueAdopters(object)
    },
    deleted: enqueueOwner,
  })
}
