import type { Reservation } from '../catalog/definition.ts'
import type { Key } from '../storage/revision.ts'
import type { Decision, Storage, StoredObject, Written } from '../storage/storage.ts'
import type { ReservationHolder, WriteTarget } from './types.ts'

/** What one attempt of a write has reserved: its strategy, and what plugins of admission did. */
export class HeldReservation implements ReservationHolder {
  #held: Reservation | undefined
  #more: Reservation[] | undefined

  /** Takes what the strategy has begun to reserve, for as long as the write lasts. Undefined: nothing was begun, and there is nothing to wait for. */
  take(begun: Promise<Reservation> | undefined): Promise<void> | undefined {
    return begun?.then(reservation => {
      this.#held = reservation
    })
  }

  hold(reservation: Reservation): void {
    this.#more ??= []
    this.#more.push(reservation)
  }

  /** Undefined: nothing is held. */
  commit(): Promise<unknown> | undefined {
    return this.#each(reservation => reservation.commit())
  }

  /** Undefined: nothing is held. */
  rollback(): Promise<unknown> | undefined {
    return this.#each(reservation => reservation.rollback())
  }

  /** Lets go of what is held. */
  #each(end: (reservation: Reservation) => Promise<void>): Promise<unknown> | undefined {
    const [held, more] = [this.#held, this.#more]
    this.#held = undefined
    this.#more = undefined
    if (more === undefined) return held && end(held)
    return Promise.all((held ? [held, ...more] : more).map(end))
  }
}

/** As `Decide` of storage: it runs again after a lost race, when what the run before has reserved has been rolled back. */
export type DecideObject<T> = (now: StoredObject | undefined, held: HeldReservation) => Promise<Decision<T>>

/**
 * Writes what `decide` makes of the present object, and returns the result of the decision that was carried out. A dry run decides, and writes nothing: there is no `written` then.
 * Reservations are committed after the write has succeeded, and rolled back otherwise.
 */
export async function writeObject<T>(
  storage: Storage,
  key: Key,
  { dryRun, ctx }: WriteTarget,
  decide: DecideObject<T>,
  assume?: 'absent',
): Promise<{ readonly result: T; readonly written?: Written<T> }> {
  const held = new HeldReservation()
  let attempts = 0
  const attempt = (now: StoredObject | undefined): Promise<Decision<T>> => {
    ctx.why?.note({ step: 'attempt', attempt: ++attempts, ...(now && { resourceVersion: String(now.revision) }) })
    const undone = held.rollback()
    return undone === undefined ? decide(now, held) : undone.then(() => decide(now, held))
  }
  let isWritten = false
  try {
    if (dryRun) {
      const { result } = await attempt(await storage.get(key, 'latest', ctx.signal))
      ctx.why?.note({ step: 'written', outcome: 'dry run' })
      return { result }
    }
    const written = await storage.write(key, attempt, ctx.signal, assume)
    isWritten = true
    ctx.why?.note({ step: 'written', outcome: written.outcome, resourceVersion: String(written.object.revision) })
    const committing = held.commit()
    if (committing) await committing
    return { result: written.result, written }
  } finally {
    if (!isWritten) await held.rollback()
  }
}
