import { statSync } from 'node:fs'
import { join } from 'node:path'
import { BackendError } from '../backend.ts'
import { lockDirectory } from './directory-lock.ts'
import { type FoundDamage, findDamage } from './find-damage.ts'

/**
 * Looks for damage in a store that no server uses.
 * @throws BackendError `unavailable` if there is no store, or another process holds the directory
 */
export async function verifyStore(dir: string): Promise<FoundDamage> {
  const file = statSync(join(dir, 'data.mdb'), { throwIfNoEntry: false })
  if (file === undefined) throw new BackendError('unavailable', `there is no store in ${dir}`)
  const lock = await lockDirectory(dir)
  try {
    return await findDamage(dir)
  } finally {
    lock.release()
  }
}
