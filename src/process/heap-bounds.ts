/** With so many custom kinds the heap holds much more than without any. */
const MANY_CUSTOM_KINDS = 50
/**
 * With 250 definitions in use 800 MB were resident, of which 270 were needed. Costs a tenth to a fifth more CPU (`test/bench/definitions.ts`), and so is not for servers without many kinds, which
 * need little.
 */
const GROWTH_WITH_MANY_KINDS = 30

/** From so many watches of the same objects on, a write costs its deliveries first of all: closer bounds cost it some percent more CPU (`test/bench/fan-out.ts`). The most watches first. */
const GROWTH_BY_WATCHES = [
  [800, 30],
  [200, 60],
] as const

/** By how many percent the old objects of V8's heap may grow between two collections while so many custom kinds are served; undefined: as V8 likes. */
export const growthWithKinds = (kinds: number): number | undefined => (kinds >= MANY_CUSTOM_KINDS ? GROWTH_WITH_MANY_KINDS : undefined)

/** The same while so many watches follow the same objects. */
export const growthWithWatches = (watches: number): number | undefined => GROWTH_BY_WATCHES.find(([from]) => watches >= from)?.[1]
