import type { KeyValue } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { NO_REVISION, type Revision, revisionBefore } from '../revision.ts'
import type { ReadKey } from './settle.ts'

/** Number of older states of a key to look at before the revision of its creation is reported as unknown. */
const LONGEST_WAY = 16

/**
 * Determines the revision at which kine has created a key with a value. If the key existed before, kine 0.17 responds
 * with the newest revision of the store, which may be that of a later write (`LogStructured.Create`, whose variable
 * `rev` is shadowed). The key is read, and if it was changed or deleted meanwhile, its states up to `responded`, the
 * last first. Undefined if none shows the creation. Passes on errors of `read`.
 */
export async function creationRevision(value: Buffer, responded: Revision, read: ReadKey): Promise<Revision | undefined> {
  let at: Revision | undefined
  for (let step = 0; step <= LONGEST_WAY && at !== NO_REVISION; step++) {
    const item = await readOld(read, at)
    const created = item && (item.createRevision === item.modRevision ? item : await readOld(read, item.createRevision))
    // Another writer may have created the key again.
    if (created?.value.equals(value)) return created.modRevision
    at = at === undefined ? responded : revisionBefore(item?.createRevision ?? at)
  }
  return undefined
}

/** Returns undefined if the store no longer has the revision, or does not have it yet. */
async function readOld(read: ReadKey, at: Revision | undefined): Promise<KeyValue | undefined> {
  try {
    return (await read(at)).item
  } catch (error) {
    if (error instanceof BackendError && (error.code === 'compacted' || error.code === 'future')) return undefined
    throw error
  }
}
