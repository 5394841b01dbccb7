/**
 * Program: creates keys in the embedded store of a directory, `--parallel` at a time, until it is killed. A line per
 * acknowledgement: the key and the syncs since the write began.
 */
import { statSync } from 'node:fs'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts'
import type { Key } from '../../src/storage/revision.ts'

const [, , dir = '', parallel = '1'] = process.argv
const syncs = () => statSync(process.env.SHIM_COUNT!, { throwIfNoEntry: false })?.size ?? 0
const backend = await openEmbedded({ dir }, systemClock, silentLogger)
const signal = new AbortController().signal
let next = 0
await Promise.all(
  Array.from({ length: Number(parallel) }, async () => {
    for (;;) {
      const key = `/registry/x/${next++}` as Key
      const before = syncs()
      const result = await backend.write({ key, expected: 0, value: Buffer.alloc(3000, key) }, signal)
      if (!result.ok) throw new Error(`${key} was there`)
      process.stdout.write(`${key} ${syncs() - before}\n`)
    }
  }),
)
