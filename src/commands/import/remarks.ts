import { onOneLine } from '../../lib/printable.ts'

/** Of the same reason, so many places are named. */
const MOST_PLACES = 5
/** So many reasons are told apart. */
const MOST_REASONS = 500

interface Remark {
  readonly places: string[]
  count: number
}

/** What of the sources is not in the store as it was there. */
export class Remarks {
  readonly #say: (text: string) => void
  readonly #told = new Map<string, Remark>()
  #lost = 0

  /** `say` is given lines. */
  constructor(say: (text: string) => void) {
    this.#say = say
  }

  /** Objects and files that could not be read. */
  get lostCount(): number {
    return this.#lost
  }

  /** What should have been read, and could not: each is told at once. */
  lost(place: string, reason: string): void {
    this.#lost++
    this.#say(`${onOneLine(`${place}: could not be read: ${reason}`)}\n`)
  }

  /** What is left out by its nature, or changed: it is told at the end, by reason. */
  told(place: string, reason: string): void {
    const key = this.#told.has(reason) || this.#told.size < MOST_REASONS ? reason : 'for other reasons'
    const remark = this.#told.get(key) ?? { places: [], count: 0 }
    if (remark.places.length < MOST_PLACES) remark.places.push(place)
    remark.count++
    this.#told.set(key, remark)
  }

  end(): void {
    for (const [reason, { places, count }] of this.#told)
      this.#say(`${onOneLine(`${reason}: ${places.join(', ')}${count > places.length ? ` and ${count - places.length} more` : ''}`)}\n`)
  }
}
