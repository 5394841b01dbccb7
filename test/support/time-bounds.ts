/** Whether bounds of time are asserted: in `make bench` and `make fuzz`, which have the machine to themselves. */
export const hasTimeBounds = (): boolean => process.env.TIME_BOUNDS === '1'

/**
 * A bound of time, in milliseconds, as `make bench` and `make fuzz` assert it. In `make test` it is infinite: the same
 * work runs there, and its result is checked, but nothing depends on the speed of the machine.
 */
export const timeBound = (milliseconds: number): number => (hasTimeBounds() ? milliseconds : Number.POSITIVE_INFINITY)

/** Processor time of a turn that is faulty on any machine, in milliseconds: a cost that is quadratic takes seconds. */
const FAULTY_TURN_MS = 2000

/**
 * A bound of the processor time of one turn of the event loop, in milliseconds. `make test` asserts only that no turn
 * takes seconds.
 */
export const turnBound = (milliseconds: number): number => (hasTimeBounds() ? milliseconds : Math.max(milliseconds, FAULTY_TURN_MS))
