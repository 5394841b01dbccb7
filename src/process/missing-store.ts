import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../lib/log.ts'

/** Largest number of file names in the warning. */
const MOST_NAMES = 10
/** Entries of an unused directory: the root of a file system has `lost+found`. */
const UNUSED: ReadonlySet<string> = new Set(['lost+found'])

/**
 * Warns if a data directory has no store but other files of an earlier server, such as keys: the server starts with an
 * empty store, and objects may have been lost.
 */
export function warnOfMissingStore(dataDir: string, logger: Logger): void {
  const path = join(dataDir, 'store', 'data.mdb')
  if (existsSync(path)) return
  const inStore = namesIn(join(dataDir, 'store')).map(name => `store/${name}`)
  const left = [...namesIn(dataDir).filter(name => name !== 'store' && !UNUSED.has(name)), ...inStore]
  if (left.length === 0) return
  logger.warn('the data directory was used before, but its store is missing: starting with an empty store', {
    missing: path,
    present: left.slice(0, MOST_NAMES),
  })
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort()
  } catch {
    return []
  }
}
