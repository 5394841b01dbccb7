/** Number of custom kinds from which they dominate the heap. */
const MANY_CUSTOM_KINDS = 50
/**
 * Growth bound with many custom kinds, in percent. Without it, 800 MB are resident with 250 definitions, of which 270
 * MB are live. It costs 10 to 20 % more CPU (`test/bench/definitions.ts`), so servers with few kinds, which need little
 * memory, have none.
 */
const GROWTH_WITH_MANY_KINDS = 30

/**
 * Growth bounds in percent, by number of watches of the same objects, largest first. Deliveries dominate the cost of a
 * write then, so that the bounds add only some percent of CPU (`test/bench/fan-out.ts`).
 */
const GROWTH_BY_WATCHES = [
  [800, 30],
  [200, 60],
] as const

/**
 * Largest growth of V8's old generation between two collections, in percent, for a number of custom kinds. Undefined if
 * V8 decides.
 */
export const growthWithKinds = (kinds: number): number | undefined => (kinds >= MANY_CUSTOM_KINDS ? GROWTH_WITH_MANY_KINDS : undefined)

/** `growthWithKinds` for a number of watches of the same objects. */
export const growthWithWatches = (watches: number): number | undefined => GROWTH_BY_WATCHES.find(([from]) => watches >= from)?.[1]
