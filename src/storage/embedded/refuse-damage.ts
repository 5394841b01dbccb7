import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../lib/log.ts'
import { BackendError } from '../backend.ts'
import { findDamage } from './find-damage.ts'
import { inspectDataFile } from './inspect.ts'
import { salvage } from './salvage.ts'

/** Number of damages that are logged. `binnacle verify` lists all of them. */
const MOST_LOGGED = 100

/** The store, and whether damage is tolerated. */
export interface DamageOptions {
  readonly dir: string
  readonly servesDamaged?: boolean
}

/**
 * Checks the whole store before LMDB maps it. With `servesDamaged`, replaces a damaged store with its undamaged part.
 * @throws BackendError `corrupt` otherwise, with one line that names the damage
 */
export async function refuseDamage({ dir, servesDamaged = false }: DamageOptions, logger: Logger): Promise<void> {
  inspectDataFile(dir, { isReplaced: servesDamaged })
  if (statSync(join(dir, 'data.mdb'), { throwIfNoEntry: false }) === undefined) return
  const { lines, more, damages } = await findDamage(dir)
  const [first] = lines
  if (first === undefined) return
  const others = lines.length - 1 + more
  if (!servesDamaged) {
    const rest = others === 0 ? '' : `, and ${others} more`
    throw new BackendError(
      'corrupt',
      `the store in ${dir} is damaged: ${first}${rest}; binnacle verify lists all damage, --serve-damaged-store serves the rest`,
    )
  }
  for (const line of lines.slice(0, MOST_LOGGED)) logger.error('the store is damaged', { damage: line })
  const { objects, kept } = await salvage(dir, damages)
  logger.error('replaced a damaged store with its undamaged objects', { damages: lines.length + more, keys: objects, damagedFile: kept })
}
