import type { LineBudget } from '../../lib/line-budget.ts'

/** Places that are named for one reason. */
const MOST_PLACES = 5
/** Reasons that are counted separately. */
const MOST_REASONS = 500
const OTHER_REASONS = 'for other reasons'

interface Remark {
  readonly places: string[]
  count: number
}

/** Parts of the sources that are not in the store as they were there. */
export class Remarks {
  readonly #lines: LineBudget
  readonly #told = new Map<string, Remark>()
  readonly #losses = new Map<string, number>()
  #lost = 0

  constructor(lines: LineBudget) {
    this.#lines = lines
  }

  /** Objects and files that could not be read. */
  get lostCount(): number {
    return this.#lost
  }

  /** Reports an object or file that could not be read: at once, unless the same was reported of several others, which are counted. */
  lost(place: string, reason: string): void {
    this.#lost++
    const key = this.#losses.has(reason) || this.#losses.size < MOST_REASONS ? reason : OTHER_REASONS
    const count = (this.#losses.get(key) ?? 0) + 1
    this.#losses.set(key, count)
    if (count <= MOST_PLACES) this.#lines.say(`${place}: could not be read: ${reason}`)
  }

  /** Records a part that is left out by its nature, or changed. It is reported at the end, by reason. */
  told(place: string, reason: string): void {
    const key = this.#told.has(reason) || this.#told.size < MOST_REASONS ? reason : OTHER_REASONS
    const remark = this.#told.get(key) ?? { places: [], count: 0 }
    if (remark.places.length < MOST_PLACES) remark.places.push(place)
    remark.count++
    this.#told.set(key, remark)
  }

  end(): void {
    for (const [reason, count] of this.#losses)
      if (count > MOST_PLACES) this.#lines.say(`could not be read: ${reason}: and ${count - MOST_PLACES} more like it`)
    for (const [reason, { places, count }] of this.#told)
      this.#lines.say(`${reason}: ${places.join(', ')}${count > places.length ? ` and ${count - places.length} more` : ''}`)
    this.#lines.end()
  }
}
