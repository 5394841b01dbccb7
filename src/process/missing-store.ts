import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../lib/log.ts'

/** Names of files that a warning lists. */
const MOST_NAMES = 10
/** What is in a directory before any program has used it: the root of a file system has it. */
const UNUSED: ReadonlySet<string> = new Set(['lost+found'])

/** Warns if a data directory has no data file, but files that a server before has left, such as keys: it starts with an empty store, and its objects may have been lost. */
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
