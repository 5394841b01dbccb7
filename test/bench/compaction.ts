/**
 * Writes to the embedded store beside its compaction: the rate before the first compaction, the rates after each later
 * one, and the size of the file. Values of several sizes, since LMDB stores values in pages.
 *
 *     node --import tsx test/bench/compaction.ts
 *
 * SIZES (300,2000,6000,12000) in bytes, COMPACTIONS (4), REVISIONS (50000) from one to the next, KEYS (10000).
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import type { Backend } from '../../src/storage/backend.ts'
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'

const count = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const [compactions, revisions, keys] = [count('COMPACTIONS', 4), count('REVISIONS', 50_000), count('KEYS', 10_000)]
const WRITERS = 32
const { signal } = new AbortController()

/** Writes the keys in turn, until the store has this many revisions more. Returns the newest revision. */
async function write(store: Backend, latest: (Revision | 0)[], size: number): Promise<Revision> {
  const value = Buffer.alloc(size, 'v')
  const first = await store.currentRevision(signal)
  let left = revisions
  const writer = async (): Promise<void> => {
    while (left-- > 0) {
      const index = (first + left) % keys
      const key = `/registry/objects/object-${index}` as Key
      const result = await store.write({ key, expected: latest[index] ?? 0, value }, signal)
      if (!result.ok) throw new Error(`${key} was written by another writer`)
      latest[index] = result.revision
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  return store.currentRevision(signal)
}

for (const size of (process.env.SIZES ?? '300,2000,6000,12000').split(',').map(Number)) {
  const dir = mkdtempSync(join(tmpdir(), 'compaction-'))
  const store = await openEmbedded({ dir }, systemClock, silentLogger)
  const latest: (Revision | 0)[] = []
  const rates: number[] = []
  const sizes: number[] = []
  let bound: Revision | undefined
  for (let i = 0; i <= compactions; i++) {
    if (bound !== undefined) await store.compact(bound, signal)
    const begun = performance.now()
    bound = await write(store, latest, size)
    rates.push((1000 * revisions) / (performance.now() - begun))
    sizes.push(statSync(join(dir, 'data.mdb')).blocks / 2048)
  }
  const [before = 1, ...after] = rates
  const ratios = after.map(rate => (rate / before).toFixed(2))
  console.log(
    `${size} bytes: ${before.toFixed(0)} writes/s before, then times ${ratios.join(', ')}; file of ${sizes.map(Math.round).join(', ')} MiB`,
  )
  await store.close()
  rmSync(dir, { recursive: true, force: true })
}
