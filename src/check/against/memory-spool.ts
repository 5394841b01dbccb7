import type { SpoolRange, ValueSpool } from '../../commands/import/spool.ts'

/** Spool in memory. A check writes no objects of a cluster to disk. */
export class MemorySpool implements ValueSpool {
  readonly #values: Buffer[] = []

  write(bytes: Buffer): SpoolRange {
    this.#values.push(bytes)
    return { at: this.#values.length - 1, size: bytes.length }
  }

  read({ at }: SpoolRange): Buffer {
    return this.#values[at] ?? Buffer.alloc(0)
  }
}
