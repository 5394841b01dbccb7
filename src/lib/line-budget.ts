import { flagHint } from './bounded-input.ts'
import { onOneLine } from './printable.ts'

/** Characters of a line that are printed. The rest is omitted. */
const LONGEST_LINE = 4096

/** Prints the first lines to standard error and counts the others. */
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

  /** Prints how many lines were omitted. */
  end(): void {
    if (this.#left > 0) this.#print(`${this.#left} more lines were left out, as ${this.#most} are printed${flagHint(this.#flag)}\n`)
    this.#left = 0
  }
}
