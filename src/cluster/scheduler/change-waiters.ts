import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { onAbort } from '../../lib/on-abort.ts'
import type { Informers } from '../shared/informers.ts'

/**
 * Callers that wait for the next change of an object of a kind. Follows a kind with one handler, from the first wait
 * on.
 */
export class ChangeWaiters {
  readonly #informers: Informers
  readonly #signal: AbortSignal
  readonly #waiting = new Map<string, Set<() => void>>()

  /** @param signal ends all waits. */
  constructor(informers: Informers, signal: AbortSignal) {
    this.#informers = informers
    this.#signal = signal
    onAbort(signal, () => {
      for (const waiting of this.#waiting.values()) wake(waiting)
    })
  }

  /** Resolves at the next change of an object of the kind, or once the signal aborts. */
  untilChanged(kind: ResourceKind<TypedObject>): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve()
    const waiting = this.#of(kind)
    return new Promise(resolve => void waiting.add(resolve))
  }

  #of(kind: ResourceKind<TypedObject>): Set<() => void> {
    const known = this.#waiting.get(kind.kind)
    if (known) return known
    const waiting = new Set<() => void>()
    this.#waiting.set(kind.kind, waiting)
    const changed = (): void => wake(waiting)
    this.#informers.of(kind).on({ added: changed, updated: changed, deleted: changed })
    return waiting
  }
}

function wake(waiting: Set<() => void>): void {
  const all = [...waiting]
  waiting.clear()
  for (const resolve of all) resolve()
}
