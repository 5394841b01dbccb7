import { systemClock } from '../lib/clock.ts'
import { silentLogger } from '../lib/log.ts'
import { seededRandomness } from '../lib/randomness.ts'
import { decodeKey, decodeLatest } from '../storage/embedded/layout.ts'
import { type MemoryTables, memoryTables } from '../storage/embedded/memory-tables.ts'
import { openInMemory } from '../storage/embedded/open-embedded.ts'
import { changeAt } from '../storage/embedded/reader.ts'
import type { Key } from '../storage/revision.ts'

const UID = /"metadata":\{[^{}]*?"uid":"([0-9a-f-]{36})"/

/**
 * Returns the current objects without history, ordered by key, with UIDs derived from the seed. A server creates its
 * initial objects concurrently, so the order of writes and the UIDs drawn in that order vary between runs, as does the
 * server's port, which its service contains.
 */
export async function canonicalTables(tables: MemoryTables, seed: string, port: string): Promise<MemoryTables> {
  const objects: { readonly key: Key; readonly text: string }[] = []
  const uids = new Map<string, string>()
  for (const { key: id, value } of tables.latest.getRange({})) {
    const { live, modRevision } = decodeLatest(value)
    const key = decodeKey(id)
    const text = live ? changeAt(tables, key, modRevision)?.value?.toString() : undefined
    if (text === undefined) continue
    objects.push({ key, text })
    const [, uid] = UID.exec(text) ?? []
    if (uid !== undefined) uids.set(uid, seededRandomness(`${seed}\n${key}`).uuid())
  }
  const made = memoryTables()
  const backend = openInMemory(systemClock, silentLogger, { tables: made })
  const { signal } = new AbortController()
  for (const { key, text } of objects) {
    const value = Buffer.from(
      text
        .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, uid => uids.get(uid) ?? uid)
        .replace(`"targetPort":${port}`, '"targetPort":6443'),
    )
    await backend.write({ key, expected: 0, value }, signal)
  }
  await backend.close()
  return made.fork()
}
