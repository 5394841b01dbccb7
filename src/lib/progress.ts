/** Measures how long pending work has not moved, for a caller that polls. */
export class Progress {
  /**
   * Time of the first poll without progress, by the caller's clock. Undefined if the work moved or nothing was pending.
   */
  #since: number | undefined

  /**
   * Returns the milliseconds since pending work was first seen without progress. `moved`: whether it moved since the
   * last call, which restarts the measurement.
   */
  stalledFor(now: number, waits: boolean, moved: boolean): number {
    if (!waits || moved) this.#since = undefined
    if (!waits) return 0
    this.#since ??= now
    return now - this.#since
  }
}
