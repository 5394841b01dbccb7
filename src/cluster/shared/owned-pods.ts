import type { Pod } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import { objectKey, type ResourceKind } from '../../clients/api-client.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { Informer } from './informer.ts'
import { controllerOf } from './owner.ts'
import { isPodTerminating } from './pods.ts'

/** Informers of owners and pods, and what is called for their changes. */
export interface OwnedPodsOptions<T extends TypedObject> {
  readonly pods: Informer<Pod>
  readonly owners: Informer<T>
  readonly kind: ResourceKind<T>
  /** Whether the selector of an owner matches a pod. */
  readonly matches: (owner: T, pod: Pod) => boolean
  /** Called with the key of the owner when a pod that it owns appears. */
  readonly created: (key: string, pod: Pod) => void
  /** Called with the key of the owner when a pod that it owned is deleted, or begins to be deleted. */
  readonly deleted: (key: string, pod: Pod) => void
  /** Called with the key of an owner that has to be processed. */
  readonly enqueue: (key: string) => void
  /** Optional. Called with each change of an owned pod, after `enqueue`. */
  readonly changed?: (key: string, pod: Pod, old: Pod) => void
}

/**
 * Reports changes of pods to the controllers that own them, and pods without a controller to those that may adopt them.
 * Only owners that exist with the uid of the reference count.
 */
export function followOwnedPods<T extends TypedObject>({
  pods,
  owners,
  kind,
  matches,
  created,
  deleted,
  enqueue,
  changed,
}: OwnedPodsOptions<T>): void {
  const ownerOf = (pod: Pod): string | undefined => {
    const reference = controllerOf(pod)
    if (reference?.kind !== kind.kind) return undefined
    const key = `${pod.metadata.namespace}/${reference.name}`
    return owners.store.get(key)?.metadata.uid === reference.uid ? key : undefined
  }
  const enqueueAdopters = (pod: Pod): void => {
    for (const owner of owners.store.inNamespace(pod.metadata.namespace ?? '')) if (matches(owner, pod)) enqueue(objectKey(owner))
  }
  const remove = (pod: Pod): void => {
    const key = ownerOf(pod)
    if (key === undefined) return
    deleted(key, pod)
    enqueue(key)
  }
  const look = (pod: Pod, observe: (key: string) => void): void => {
    if (isPodTerminating(pod)) {
      remove(pod)
      return
    }
    if (!controllerOf(pod)) {
      enqueueAdopters(pod)
      return
    }
    const key = ownerOf(pod)
    if (key === undefined) return
    observe(key)
    enqueue(key)
  }
  pods.onGradually({
    added: pod => look(pod, key => created(key, pod)),
    // The controller has created none of them.
    existing: pod => look(pod, () => {}),
    updated(pod, old) {
      const hasNewLabels = !deepEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {})
      const hasNewOwner = controllerOf(pod)?.uid !== controllerOf(old)?.uid
      if (isPodTerminating(pod)) {
        // A deletion with a grace period arrives as an update, and counts as a deletion for the owner.
        remove(pod)
        if (hasNewLabels || hasNewOwner) remove(old)
        return
      }
      if (hasNewOwner) {
        const key = ownerOf(old)
        if (key !== undefined) enqueue(key)
      }
      if (controllerOf(pod)) {
        const key = ownerOf(pod)
        if (key === undefined) return
        enqueue(key)
        changed?.(key, pod, old)
      } else if (hasNewLabels || hasNewOwner) enqueueAdopters(pod)
    },
    deleted: remove,
  })
}
