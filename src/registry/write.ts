import type { Reservation } from '../catalog/definition.ts'
import type { Key } from '../storage/revision.ts'
import type { Decision, Storage, StoredObject, Written } from '../storage/storage.ts'
import type { WriteTarget } from './types.ts'

/** Takes what the strategy has begun to reserve, for as long as the write lasts. */
export type Reserve = (begun: Promise<Reservation> | undefined) => Promise<void>

/** As `Decide` of storage: it runs again after a lost race, when what the run before has reserved has been rolled back. */
export type DecideObject<T> = (now: StoredObject | undefined, reserve: Reserve) => Promise<Decision<T>>

/**
 * Writes what `decide` makes of the present object, and returns the result of the decision that was carried out. A dry run decides, and writes nothing: there is no `written` then.
 * Reservations are committed after the write has succeeded, and rolled back otherwise.
 */
export function writeObject<T>(
  storage: Storage,
  key: Key,
  { dryRun, ctx }: WriteTarget,
  decide: DecideObject<T>,
  assume?: 'absent',
): Promise<{ readonly result: T; readonly written?: Written<T> }> {
  return withReservation(dryRun, async ({ reserve, release }) => {
    const attempt = async (now: StoredObject | undefined): Promise<Decision<T>> => {
      await release()
      return decide(now, reserve)
    }
    if (dryRun) return { result: (await attempt(await storage.get(key, 'latest', ctx.signal))).result }
    const written = await storage.write(key, attempt, ctx.signal, assume)
    return { result: written.result, written }
  })
}

/** Runs a write that holds one reservation at a time: `release` rolls it back. */
async function withReservation<T>(dryRun: boolean, write: (held: { reserve: Reserve; release(): Promise<void> }) => Promise<T>): Promise<T> {
  let held: Reservation | undefined
  const release = async (): Promise<void> => {
    const last = held
    held = undefined
    await last?.rollback()
  }
  let isWritten = false
  try {
    const result = await write({
      release,
      reserve: async begun => {
        held = await begun
      },
    })
    isWritten = !dryRun
    if (isWritten) await held?.commit()
    return result
  } finally {
    if (!isWritten) await release()
  }
}
