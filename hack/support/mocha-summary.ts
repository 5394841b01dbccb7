const COUNTS = /^ {2}(\d+) (passing|pending|failing)\b/

/** Makes one summary of the ends of several runs of mocha, whose output it is given line by line (spec reporter). */
export class MochaSummary {
  readonly #counts = { passing: 0, pending: 0, failing: 0 }
  readonly #failures: string[] = []
  #isAtEnd = false

  /**
   * Returns the line if it is to be printed immediately. Returns undefined for lines of the summary at the end, which
   * `text` collects.
   */
  take(line: string): string | undefined {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of terminals
    const [, count, kind] = COUNTS.exec(line.replace(/\x1b\[[0-9;]*m/g, '')) ?? []
    if (kind !== undefined) {
      this.#counts[kind as 'passing' | 'pending' | 'failing'] += Number(count)
      this.#isAtEnd = true
    } else if (this.#isAtEnd) this.#failures.push(line)
    else return line
    return undefined
  }

  /** Between two runs. */
  begin(): void {
    this.#isAtEnd = false
  }

  /** As mocha ends: the counts, and the failures in full. */
  text(milliseconds: number): string {
    const { passing, pending, failing } = this.#counts
    const seconds = Math.round(milliseconds / 1000)
    const lines = [`  ${passing} passing (${Math.floor(seconds / 60)}m ${seconds % 60}s)`]
    if (pending > 0) lines.push(`  ${pending} pending`)
    if (failing > 0) lines.push(`  ${failing} failing`)
    return `\n${[...lines, ...this.#failures].join('\n').trimEnd()}\n`
  }
}
