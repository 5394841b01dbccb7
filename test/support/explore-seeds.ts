/** Seeds with which `explore` has to find each race: 1 to $EXPLORE_SEEDS, or the given one. */
export const exploreSeeds = (seed: number): readonly number[] => {
  const count = Number(process.env.EXPLORE_SEEDS ?? 0)
  return count > 0 ? Array.from({ length: count }, (_, index) => index + 1) : [seed]
}
