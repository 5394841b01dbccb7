import type { Pod } from '../../../api/core/v1.types.ts'
import type { ClusterObjects } from '../snapshot.ts'
import { groupOf, membersOf } from './pod-group.ts'

/** Trees of groups that have new pods. However many there are, the pods of a tree are listed once. */
export class GrownGroups {
  readonly #objects: Pick<ClusterObjects, 'podsOfGroup' | 'trees'>
  /** One of the new pods of each tree, by the key of its root. */
  readonly #pods = new Map<string, Pod>()

  constructor(objects: Pick<ClusterObjects, 'podsOfGroup' | 'trees'>) {
    this.#objects = objects
  }

  /** Adds the tree of a new pod. Reports whether the pod belongs to one. */
  add(pod: Pod): boolean {
    const group = groupOf(pod)
    if (group) this.#pods.set(this.#objects.trees.pathOf(group.key).end, pod)
    return group !== undefined
  }

  /** Takes a tree, and returns its pods that have not ended. Undefined if no tree has new pods. */
  take(): readonly Pod[] | undefined {
    for (const [root, pod] of this.#pods) {
      this.#pods.delete(root)
      return membersOf(pod, this.#objects)
    }
    return undefined
  }
}
