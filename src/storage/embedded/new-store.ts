import { makePrivateDirectory } from '../../lib/private-file.ts'
import { BackendError } from '../backend.ts'
import { whileLocked } from './directory-lock.ts'
import type { Tables } from './environment.ts'
import { inspectDataFile } from './inspect.ts'
import { metaRevision, openTablesToWrite } from './tables.ts'

/** Revision of a store before its first write. */
export const FIRST_REVISION = 1

/**
 * Opens the tables of a new store, calls `fill` with them, and closes them.
 * @throws BackendError `unavailable` if another process holds the directory, `corrupt` if it has a store that has been
 * written to
 */
export async function fillNewStore<T>(dir: string, fill: (tables: Tables) => Promise<T>): Promise<T> {
  makePrivateDirectory(dir)
  return whileLocked(dir, async () => {
    inspectDataFile(dir)
    const tables = await openTablesToWrite(dir)
    try {
      if (metaRevision(tables, 'revision') > FIRST_REVISION)
        throw new BackendError('corrupt', `${dir} has a store already: a new directory is needed`)
      return await fill(tables)
    } finally {
      await tables.close()
    }
  })
}
