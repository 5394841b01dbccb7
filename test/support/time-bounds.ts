/**
 * A bound of time, in milliseconds, as `make bench` and `make fuzz` assert it, with the machine to themselves. In `make test` it is infinite: the same work runs there, and its result is checked, but nothing depends on
 * the speed of the machine.
 */
export const timeBound = (milliseconds: number): number => (process.env.TIME_BOUNDS === '1' ? milliseconds : Number.POSITIVE_INFINITY)
