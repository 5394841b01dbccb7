import type { ChosenAlternative } from './device-search.ts'

/** Score of the best alternative. Source: FirstAvailableDeviceRequestMaxSize of resource.k8s.io. */
const MOST_ALTERNATIVES = 8

/**
 * Sums how good the alternatives are that were chosen for the requests with lists: the first one of a list counts most.
 * Source: computeScore.
 */
export const alternativesScore = (chosen: readonly ChosenAlternative[]): number =>
  chosen.reduce((sum, { alternative: { rank } }) => sum + (rank === undefined ? 0 : MOST_ALTERNATIVES - rank), 0)
