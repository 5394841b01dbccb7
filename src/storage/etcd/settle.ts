import type { GuardedWrite, KeyValue, WriteResult } from '../backend.ts'
import { type Revision, revisionBefore } from '../revision.ts'

/** Number of changes of a key to look back through before the outcome of a write is reported as unknown. */
const LONGEST_WAY = 8

/** Reads a key at a revision, or the newest if undefined, together with the store's revision. */
export type ReadKey = (at: Revision | undefined) => Promise<{ item: KeyValue | undefined; revision: Revision }>

/**
 * Determines the outcome of a guarded write whose response was lost, from the change that followed the revision that it
 * expected. If that change wrote the same bytes, the write happened. If it wrote others, the write failed and can no
 * longer happen, because no later state has that revision; this does not hold for a create, since a key can be absent
 * again. Undefined if the outcome is unknown: nothing has changed yet and the write may still be in flight, the key is
 * deleted, or the change is too far back. Passes on errors of `read`.
 */
export async function settleWrite(write: GuardedWrite, read: ReadKey): Promise<WriteResult | undefined> {
  const { item: current, revision } = await read(undefined)
  // If the key is absent, another writer may have deleted it, also after a change that made this write fail.
  if (!current || current.modRevision === write.expected) return undefined
  let change = current
  for (let step = 0; step < LONGEST_WAY; step++) {
    if (change.createRevision === change.modRevision) {
      const happened = write.expected === 0 && write.value !== undefined && change.value.equals(write.value)
      return happened ? { ok: true, revision: change.modRevision } : undefined
    }
    const before = (await read(revisionBefore(change.modRevision))).item
    if (!before) return undefined
    if (before.modRevision === write.expected) {
      const happened = write.value !== undefined && change.value.equals(write.value)
      return happened ? { ok: true, revision: change.modRevision } : { ok: false, current, revision }
    }
    change = before
  }
  return undefined
}
