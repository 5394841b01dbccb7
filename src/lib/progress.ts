/** Measures for how long something that waits has not moved, for a caller that polls. */
export class Progress {
  /** By the clock of who looks; undefined: it moved, or nothing waited. */
  private since: number | undefined

  /** Milliseconds since it was first seen to wait. `moved`: since the last look, so that it begins anew. */
  stalledFor(now: number, waits: boolean, moved: boolean): number {
    if (!waits || moved) this.since = undefined
    if (!waits) return 0
    this.since ??= now
    return now - this.since
  }
}
