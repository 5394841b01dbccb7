/**
 * Program: fills the embedded store of a directory until a commit fails, then goes on for a while. Prints as JSON what
 * was acknowledged, what failed and why.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts'
import type { Key } from '../../src/storage/revision.ts'

const signal = new AbortController().signal
const backend = await openEmbedded({ dir: process.argv[2]! }, systemClock, silentLogger)
const acknowledged: string[] = []
const failures: string[] = []
for (let i = 0; i < 5000 && failures.length < 9; i++) {
  const group = [0, 1, 2].map(async j => {
    const key = `/registry/x/${i}-${j}` as Key
    await backend.write({ key, expected: 0, value: Buffer.alloc(9000) }, signal)
    acknowledged.push(key)
  })
  for (const result of await Promise.allSettled(group))
    if (result.status === 'rejected') failures.push(`${result.reason.code}: ${result.reason.message}`)
}
await sleep(200)
const { count, revision } = await backend.range({ start: '/registry/' as Key, end: '/registry0' as Key, countOnly: true }, signal)
await backend.close()
process.stdout.write(`${JSON.stringify({ acknowledged, failures, count, revision })}\n`)
