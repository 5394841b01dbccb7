/** A power of two, so that the lowest bits of a hash select the shard. */
const SHARDS = 256

/**
 * A map with string keys for millions of entries. A Map that grows moves all its entries in one step, which takes 60 ms
 * for half a million; this one consists of many Maps that grow independently. Entries have no order.
 */
export class ShardedMap<V> {
  readonly #shards: readonly Map<string, V>[] = Array.from({ length: SHARDS }, () => new Map<string, V>())
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Number of entries in the fullest shard. An insertion moves no more than these. */
  get fullest(): number {
    return Math.max(...this.#shards.map(shard => shard.size))
  }

  get(key: string): V | undefined {
    return this.#of(key)?.get(key)
  }

  has(key: string): boolean {
    return this.#of(key)?.has(key) === true
  }

  set(key: string, value: V): void {
    const shard = this.#of(key)
    if (shard === undefined) return
    const before = shard.size
    shard.set(key, value)
    this.#size += shard.size - before
  }

  delete(key: string): boolean {
    const isDeleted = this.#of(key)?.delete(key) === true
    if (isDeleted) this.#size--
    return isDeleted
  }

  *values(): Generator<V> {
    for (const shard of this.#shards) yield* shard.values()
  }

  /** Returns the shard of a key. Undefined never occurs: the index is always within bounds. */
  #of(key: string): Map<string, V> | undefined {
    // FNV-1a
    let hash = 0x811c9dc5
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
    return this.#shards[(hash ^ (hash >>> 8) ^ (hash >>> 16)) & (SHARDS - 1)]
  }
}
