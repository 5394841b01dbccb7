import { flagHint } from './bounded-input.ts'
import { onOneLine } from './printable.ts'

/** Characters of a line. The rest of it is left out. */
const LONGEST_LINE = 4096

/** Lines for standard error, of which the first are printed and the others counted. */
export class LineBudget {
  readonly #print: (text: string) => void
  readonly #most: number
  readonly #flag: string
  #printed = 0
  #left = 0

  constructor(print: (text: string) => void, most: number, flag: string) {
    this.#print = print
    this.#most = most
    this.#flag = flag
  }

  say(text: string): void {
    if (this.#printed >= this.#most) {
      this.#left++
      return
    }
    this.#printed++
    const line = onOneLine(text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text)
    this.#print(`${line}\n`)
  }

  /** Says how many lines were left out. */
  end(): void {
    if (this.#left > 0) this.#print(`${this.#left} more lines were left out, as ${this.#most} are printed${flagHint(this.#flag)}\n`)
    this.#left = 0
  }
}
