import type { Key } from '../revision.ts'
import type { Attributes } from '../storage.ts'

const limit = 1024

interface OwnWrite {
  readonly value: Buffer
  readonly attributes: Attributes
}

/** What this process is writing, so that its own changes need not be parsed when they come back as events. */
export class OwnWrites {
  readonly #writes = new Map<Key, OwnWrite>()

  add(key: Key, value: Buffer, attributes: Attributes): void {
    this.#writes.delete(key)
    this.#writes.set(key, { value, attributes })
    if (this.#writes.size > limit) for (const oldest of this.#writes.keys()) return void this.#writes.delete(oldest)
  }

  /** The attributes of these bytes, if this process wrote them. */
  take(key: Key, value: Buffer): Attributes | undefined {
    const write = this.#writes.get(key)
    if (write === undefined || !write.value.equals(value)) return undefined
    this.#writes.delete(key)
    return write.attributes
  }
}
