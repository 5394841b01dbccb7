import { createHash, randomUUID } from 'node:crypto'

/** A source of random values that appear in objects. Tests pass their own. Never for secrets. */
export interface Randomness {
  /** Returns a UUID of version 4. */
  uuid(): string
  /** Returns a number from 0 to 1, exclusive. */
  number(): number
  /** Returns a source for one purpose. Its values do not depend on what else is drawn. */
  branch(name: string): Randomness
}

export const systemRandomness: Randomness = { uuid: () => randomUUID(), number: () => Math.random(), branch: () => systemRandomness }

/** Returns a deterministic source: the same seed gives the same values in the same order. */
export function seededRandomness(seed: string): Randomness {
  let drawn = 0
  const bytes = (): Buffer => createHash('sha256').update(`${seed}\n${drawn++}`).digest()
  return {
    uuid() {
      const id = bytes()
      id[6] = ((id[6] ?? 0) & 0x0f) | 0x40
      id[8] = ((id[8] ?? 0) & 0x3f) | 0x80
      return id.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    },
    number: () => bytes().readUInt32BE() / 2 ** 32,
    branch: name => seededRandomness(`${seed}\n${name}`),
  }
}
