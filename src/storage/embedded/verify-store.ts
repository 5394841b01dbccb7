import { whileLocked } from './directory-lock.ts'
import { type DamageReport, findDamage } from './find-damage.ts'
import { requireDataFile } from './inspect.ts'

/**
 * Finds damage in a store that no server uses.
 * @throws BackendError `unavailable` if there is no store, or another process holds the directory
 */
export async function verifyStore(dir: string): Promise<DamageReport> {
  requireDataFile(dir)
  return whileLocked(dir, () => findDamage(dir))
}
