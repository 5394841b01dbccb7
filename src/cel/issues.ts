import type { Location, Source } from './source.ts'

/** One thing wrong with an expression, in cel-go's words. */
export interface Issue {
  readonly location: Location
  readonly message: string
}

/** Errors beyond these are counted, not kept. */
const MAX_ISSUES = 100

/** Errors of one place stay in the order in which they were found. */
const byPlace = (a: Issue, b: Issue): number => a.location.line - b.location.line || a.location.column - b.location.column

/** What was found wrong with an expression, printed as cel-go prints it. */
export class Issues {
  readonly source: Source
  readonly #kept: Issue[] = []
  #count = 0

  constructor(source: Source) {
    this.source = source
  }

  get count(): number {
    return this.#count
  }

  /** In the order of their places in the source. */
  get all(): readonly Issue[] {
    return this.#kept.toSorted(byPlace)
  }

  /** @param message a function is called only if the issue is kept. */
  report(location: Location, message: string | (() => string)): void {
    this.#count++
    if (this.#count <= MAX_ISSUES) this.#kept.push({ location, message: typeof message === 'string' ? message : message() })
  }

  /** `ERROR: <input>:1:5: …` of each, with the line it is about and a mark at the column. */
  toString(): string {
    const texts = this.all.map(({ location, message }) => {
      return `ERROR: <input>:${location.line}:${location.column + 1}: ${message}${this.source.snippet(location)}`
    })
    if (this.#count > MAX_ISSUES) texts.push(`${this.#count - MAX_ISSUES} more errors were truncated`)
    return texts.join('\n')
  }
}
