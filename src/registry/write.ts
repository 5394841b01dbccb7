import type { Reservation } from '../catalog/strategy.ts'
import type { Key } from '../storage/revision.ts'
import type { Storage, StoredObject, WriteDecision, Written } from '../storage/storage.ts'
import type { ReservationHolder, WriteTarget } from './types.ts'

/** Reservations of one attempt of a write, by the strategy and by admission plugins. */
export class HeldReservation implements ReservationHolder {
  #held: Reservation | undefined
  #more: Reservation[] | undefined

  /** Holds the reservation that the strategy has begun. Returns undefined if there is none. */
  take(begun: Promise<Reservation> | undefined): Promise<void> | undefined {
    return begun?.then(reservation => {
      this.#held = reservation
    })
  }

  hold(reservation: Reservation): void {
    this.#more ??= []
    this.#more.push(reservation)
  }

  /** Commits and releases all reservations. Returns undefined if there are none. */
  commit(): Promise<unknown> | undefined {
    return this.#each(reservation => reservation.commit())
  }

  /** Rolls back and releases all reservations. Returns undefined if there are none. */
  rollback(): Promise<unknown> | undefined {
    return this.#each(reservation => reservation.rollback())
  }

  /** Ends each reservation and forgets it. */
  #each(end: (reservation: Reservation) => Promise<void>): Promise<unknown> | undefined {
    const [held, more] = [this.#held, this.#more]
    this.#held = undefined
    this.#more = undefined
    if (more === undefined) return held && end(held)
    return Promise.all((held ? [held, ...more] : more).map(end))
  }
}

/**
 * `Decide` of storage, with a holder for reservations. It is called again after a conflict, once the reservations of
 * the previous attempt are rolled back.
 */
export type DecideObject<T> = (now: StoredObject | undefined, held: HeldReservation) => Promise<WriteDecision<T>>

/**
 * Writes the object that `decide` returns for the existing one. Returns the result of the decision that was written. A
 * dry run decides but does not write, and has no `written`. Reservations are committed after the write, or rolled back
 * if it fails.
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
  const attempt = (now: StoredObject | undefined): Promise<WriteDecision<T>> => {
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
