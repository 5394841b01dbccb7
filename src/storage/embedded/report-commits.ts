import type { Logger } from '../../lib/log.ts'
import { CommitFailure } from './commit-failure.ts'
import type { Tables } from './environment.ts'
import type { FullDisk } from './full-disk.ts'

/**
 * Logs the first failed commit, each different reason, and the first success afterwards. Deletions that succeed on a
 * full disk do not count as success.
 */
export function reportCommits(tables: Tables, dir: string, disk: FullDisk, logger: Logger): Tables {
  let failing: string | undefined
  return {
    ...tables,
    async commit(change) {
      try {
        const result = await tables.commit(change)
        if (disk.isFull) return result
        if (failing !== undefined) logger.info('the store accepts writes again', { path: dir, before: failing })
        failing = undefined
        return result
      } catch (error) {
        if (!(error instanceof CommitFailure)) throw error
        if (error.isFull && !disk.isFull) disk.failed()
        if (error.message !== failing) {
          failing = error.message
          logger.error('the store cannot write to disk: stored data is intact, and writes are rejected until they can be stored', {
            path: dir,
            error: failing,
          })
        }
        throw error
      }
    },
  }
}
