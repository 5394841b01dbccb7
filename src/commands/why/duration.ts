/** Prints a duration, such as `1.5 ms` or `2.00 s`. */
export const duration = (milliseconds: number): string =>
  milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(2)} s` : `${milliseconds.toFixed(1)} ms`
