import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import type { Informers } from '../shared/informers.ts'

/**
 * Callers that wait for changes of objects of a kind. Follows a kind with one handler, from the first wait on, however
 * many wait.
 */
export class ChangeWaiters {
  readonly #informers: Informers
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(informers: Informers) {
    this.#informers = informers
  }

  /** Calls `wake` at each change of an object of the kind, until the returned function is called. */
  onChange(kind: ResourceKind<TypedObject>, wake: () => void): () => void {
    const waiting = this.#of(kind)
    waiting.add(wake)
    return () => void waiting.delete(wake)
  }

  #of(kind: ResourceKind<TypedObject>): Set<() => void> {
    const known = this.#waiting.get(kind.kind)
    if (known) return known
    const waiting = new Set<() => void>()
    this.#waiting.set(kind.kind, waiting)
    const changed = (): void => {
      for (const wake of waiting) wake()
    }
    this.#informers.of(kind).on({ added: changed, updated: changed, deleted: changed })
    return waiting
  }
}
