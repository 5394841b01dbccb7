import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ArgumentError } from '../../../lib/arguments.ts'
import { refuseFile } from '../../../lib/refuse-file.ts'
import type { KeyValue } from '../../../storage/backend.ts'
import { lockDirectory } from '../../../storage/embedded/directory-lock.ts'
import { inspectDataFile } from '../../../storage/embedded/inspect.ts'
import { readRange } from '../../../storage/embedded/range.ts'
import { metaRevision, openTables } from '../../../storage/embedded/tables.ts'
import { key } from '../../../storage/revision.ts'

/** Number of values that are read at a time. */
const PAGE = 500

/**
 * Yields the values in the embedded store of a data directory. The store is opened read-only. Throws ArgumentError for
 * a directory without a store, and BackendError, for example while a server uses it.
 */
export async function* dataDirectoryValues(directory: string): AsyncGenerator<KeyValue> {
  const folder = join(directory, 'store')
  refuseFile(folder)
  if (statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false }) === undefined)
    throw new ArgumentError(`--data-dir ${directory}: there is no store in it`)
  const lock = await lockDirectory(folder)
  try {
    inspectDataFile(folder)
    const tables = await openTables(folder)
    try {
      const now = metaRevision(tables, 'revision')
      for (let start = key('/'), more = true; more; ) {
        const page = await readRange(tables, { start, end: key('0'), limit: PAGE }, now, now, () => {})
        yield* page.items
        more = page.more
        start = key(`${page.items.at(-1)?.key ?? ''}\0`)
      }
    } finally {
      await tables.close()
    }
  } finally {
    lock.release()
  }
}
