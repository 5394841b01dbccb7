import type { Location, Source } from './source.ts'

/** An error in an expression, with cel-go's message. */
export interface Issue {
  readonly location: Location
  readonly message: string
}

/** Further errors are only counted. */
const MAX_ISSUES = 100

/** Orders errors by position. Errors at one position keep the order in which they were reported. */
const byPlace = (a: Issue, b: Issue): number => a.location.line - b.location.line || a.location.column - b.location.column

/** Collects the errors of an expression and prints them as cel-go does. */
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

  /** The recorded errors, ordered by position in the source. */
  get all(): readonly Issue[] {
    return this.#kept.toSorted(byPlace)
  }

  /** @param message text of the error. A function is called only if the error is recorded. */
  report(location: Location, message: string | (() => string)): void {
    this.#count++
    if (this.#count <= MAX_ISSUES) this.#kept.push({ location, message: typeof message === 'string' ? message : message() })
  }

  /** Prints each error as `ERROR: <input>:1:5: …`, followed by its source line and a mark below the column. */
  toString(): string {
    const texts = this.all.map(({ location, message }) => {
      return `ERROR: <input>:${location.line}:${location.column + 1}: ${message}${this.source.snippet(location)}`
    })
    if (this.#count > MAX_ISSUES) texts.push(`${this.#count - MAX_ISSUES} more errors were truncated`)
    return texts.join('\n')
  }
}
