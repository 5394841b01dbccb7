import type { Coordinates } from './coordinates.ts'
import { keyOf } from './coordinates.ts'

/** Owners that are known not to exist. A uid never comes back, so that stays true; the ones asked for least recently are forgotten first. */
export class AbsentOwners {
  private readonly limit: number
  private readonly keys = new Set<string>()

  constructor(limit: number) {
    this.limit = limit
  }

  /** At the limit, forgets the owner that was asked for least recently. */
  add(owner: Coordinates): void {
    const key = keyOf(owner)
    this.keys.delete(key)
    this.keys.add(key)
    if (this.keys.size <= this.limit) return
    const [oldest] = this.keys
    if (oldest !== undefined) this.keys.delete(oldest)
  }

  /** Asking makes the owner the most recent: a Set keeps the order of insertion. */
  has(owner: Coordinates): boolean {
    const key = keyOf(owner)
    if (!this.keys.delete(key)) return false
    this.keys.add(key)
    return true
  }
}
