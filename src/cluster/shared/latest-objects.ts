import type { TypedObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import type { Informer } from './informer.ts'

/**
 * Objects of an informer, and those that a caller has written and the informer does not have yet. The newer of both
 * counts, so that a decision is never based on a state that the caller itself has changed.
 */
export class LatestObjects<T extends TypedObject> {
  readonly #informer: Informer<T>
  /** Written objects by key. */
  readonly #written = new Map<string, T>()

  constructor(informer: Informer<T>) {
    this.#informer = informer
    informer.on({
      added: object => this.#observe(object),
      updated: object => this.#observe(object),
      deleted: object => void this.#written.delete(objectKey(object)),
    })
  }

  get(key: string): T | undefined {
    const observed = this.#informer.store.get(key)
    const written = this.#written.get(key)
    return written && observed && versionOf(written) > versionOf(observed) ? written : observed
  }

  /** Remembers what a write has returned, until the informer has it. Returns it. */
  wrote(object: T): T {
    const key = objectKey(object)
    const observed = this.#informer.store.get(key)
    if (observed && versionOf(object) > versionOf(observed)) this.#written.set(key, object)
    return object
  }

  *list(): Iterable<T> {
    for (const object of this.#informer.store.list()) yield this.#written.size === 0 ? object : (this.get(objectKey(object)) ?? object)
  }

  #observe(object: T): void {
    const key = objectKey(object)
    const written = this.#written.get(key)
    if (written && versionOf(written) <= versionOf(object)) this.#written.delete(key)
  }
}

/** Resource versions of one server are numbers that grow. */
const versionOf = ({ metadata: { resourceVersion } }: TypedObject): bigint => BigInt(resourceVersion ?? '0')
