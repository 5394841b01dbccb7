import type { GuardedWrite, KeyValue, WriteResult } from '../backend.ts'
import { type Revision, revisionBefore } from '../revision.ts'

/** Steps back through a key's history before a doubtful write is given up as unknown. */
const longestWay = 8

/** A key as of a revision (undefined: now), with the store's revision. */
export type ReadKey = (at: Revision | undefined) => Promise<{ item: KeyValue | undefined; revision: Revision }>

/**
 * Finds out what became of a guarded write whose answer was lost, by the change that came right after the revision that the write expected. If it wrote the
 * same bytes, the write happened. If it wrote others, the write lost and can no longer happen, for no later state has that revision. (That is not so for a
 * create: absence comes again.) Undefined where it is not known: nothing has changed yet and the write may still be on its way, or the change is out of
 * reach. What the reads throw is thrown.
 */
export async function settleWrite(write: GuardedWrite, read: ReadKey): Promise<WriteResult | undefined> {
  const { item: current, revision } = await read(undefined)
  if ((current?.modRevision ?? 0) === write.expected) return undefined
  // Deleted: by this write, or by another that did the same.
  if (!current) return write.value ? undefined : { ok: true, revision }
  let change = current
  for (let step = 0; step < longestWay; step++) {
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
