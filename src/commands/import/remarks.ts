import type { LineBudget } from '../../lib/line-budget.ts'

/** Number of sources that are listed per reason. */
const MOST_PLACES = 5
/** Number of reasons that are counted separately. */
const MOST_REASONS = 500
const OTHER_REASONS = 'for other reasons'

interface Remark {
  readonly places: string[]
  count: number
}

/** Collects the differences between the sources and the store, and reports them. */
export class Remarks {
  readonly #lines: LineBudget
  readonly #notes = new Map<string, Remark>()
  readonly #losses = new Map<string, number>()
  #lost = 0

  constructor(lines: LineBudget) {
    this.#lines = lines
  }

  /** Number of objects and files that could not be read. */
  get lostCount(): number {
    return this.#lost
  }

  /**
   * Reports an object or file that could not be read. Printed at once, except after several with the same reason, which
   * are only counted.
   */
  lost(place: string, reason: string): void {
    this.#lost++
    const key = this.#losses.has(reason) || this.#losses.size < MOST_REASONS ? reason : OTHER_REASONS
    const count = (this.#losses.get(key) ?? 0) + 1
    this.#losses.set(key, count)
    if (count <= MOST_PLACES) this.#lines.say(`${place}: could not be read: ${reason}`)
  }

  /** Records an object that was deliberately skipped or changed. Reported at the end, by reason. */
  note(place: string, reason: string): void {
    const key = this.#notes.has(reason) || this.#notes.size < MOST_REASONS ? reason : OTHER_REASONS
    const remark = this.#notes.get(key) ?? { places: [], count: 0 }
    if (remark.places.length < MOST_PLACES) remark.places.push(place)
    remark.count++
    this.#notes.set(key, remark)
  }

  end(): void {
    for (const [reason, count] of this.#losses)
      if (count > MOST_PLACES) this.#lines.say(`could not be read: ${reason}: and ${count - MOST_PLACES} more like it`)
    for (const [reason, { places, count }] of this.#notes)
      this.#lines.say(`${reason}: ${places.join(', ')}${count > places.length ? ` and ${count - places.length} more` : ''}`)
    this.#lines.end()
  }
}
