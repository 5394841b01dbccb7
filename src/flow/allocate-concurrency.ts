/** A priority level's claim to seats. `lowerBound` ≤ `target`, and `lowerBound` ≤ `upperBound`. */
export interface Claim {
  /** Seats that the level demands. */
  readonly target: number
  /** Seats that the level keeps in any case. */
  readonly lowerBound: number
  /** Seats that the level can use at most. */
  readonly upperBound: number
}

/** Result of a division of seats. */
export interface Allocation {
  /** Seats in the order of the claims. */
  readonly seats: number[]
  /** Share of its target that each claim gets unless it is bounded. */
  readonly fairProportion: number
}

/** Minimum of a target, so that nothing is divided by zero. */
const MIN_TARGET = 0.001
/** Sums that differ by less are equal: they are rounded differently. */
const EPSILON = 1e-7

/** A claim with its bounds as fractions of its target. */
interface Relative {
  /** Target of the claim, at least MIN_TARGET. */
  readonly target: number
  /** At most 1, because a target is not below its lower bound. */
  readonly lower: number
  /** May be above 1. */
  readonly upper: number
}

/** Sums over all claims. */
interface Sums {
  /** Sum of the lower bounds. */
  readonly low: number
  /** Sum of the upper bounds. */
  readonly high: number
  readonly target: number
}

/**
 * Divides `total` seats so that every claim gets the same proportion of its target, within its bounds. Throws a
 * RangeError if the bounds cannot be satisfied. Source: computeConcurrencyAllocation in k8s.io/apiserver,
 * pkg/util/flowcontrol/conc_alloc.go.
 */
export function allocateConcurrency(total: number, claims: readonly Claim[]): Allocation {
  if (total < 0) throw new RangeError('negative sums are not supported')
  const relative = claims.map(relativeOf)
  const sums = sumsOf(claims, relative)
  const lowest = Math.min(...relative.map(({ lower }) => lower))
  const lowestUpper = Math.min(...relative.map(({ upper }) => upper))
  const highestLower = Math.max(...relative.map(({ lower }) => lower))
  if (highestLower > 1)
    throw new RangeError(`lbRange.max-1=${highestLower - 1}, which is impossible because lbRange.max can not be greater than 1`)
  if (sums.low - total > EPSILON) throw new RangeError(`lower bounds sum to ${sums.low}, which is higher than the required sum of ${total}`)
  if (total - sums.high > EPSILON)
    throw new RangeError(`upper bounds sum to ${sums.high}, which is lower than the required sum of ${total}`)
  if (total === 0) return { seats: claims.map(() => 0), fairProportion: 0 }
  if (sums.low - total > -EPSILON) return { seats: claims.map(({ lowerBound }) => lowerBound), fairProportion: lowest }
  if (total - sums.high > -EPSILON)
    return { seats: claims.map(({ upperBound }) => upperBound), fairProportion: Math.max(...relative.map(({ upper }) => upper)) }
  const unbounded = total / sums.target
  if (highestLower <= unbounded && unbounded <= lowestUpper)
    return { seats: relative.map(({ target }) => target * unbounded), fairProportion: unbounded }
  const fairProportion = boundedProportion(total, relative, lowest, sums.low)
  const seats = claims.map(({ lowerBound, upperBound }, i) =>
    Math.max(lowerBound, Math.min(upperBound, fairProportion * (relative[i]?.target ?? MIN_TARGET))),
  )
  return { seats, fairProportion }
}

/** Validates a claim. Throws a RangeError with upstream's message. */
function relativeOf({ target, lowerBound, upperBound }: Claim, index: number): Relative {
  if (lowerBound < 0) throw new RangeError(`lower bound ${index} is ${lowerBound} but negative lower bounds are not allowed`)
  if (target < lowerBound) throw new RangeError(`target ${index} is ${target}, which is below its lower bound of ${lowerBound}`)
  if (upperBound < lowerBound)
    throw new RangeError(`upper bound ${index} is ${upperBound} but should not be less than the lower bound ${lowerBound}`)
  const divisor = Math.max(target, MIN_TARGET)
  return { target: divisor, lower: lowerBound / divisor, upper: upperBound / divisor }
}

function sumsOf(claims: readonly Claim[], relative: readonly Relative[]): Sums {
  let [low, high, target] = [0, 0, 0]
  for (const claim of claims) {
    low += claim.lowerBound
    high += claim.upperBound
  }
  for (const each of relative) target += each.target
  return { low, high, target }
}

/**
 * Returns the proportion if bounds apply. It rises from bound to bound. Between two of them, the claims that have
 * passed their lower and not their upper bound share each increase. `sum` is the total of all claims at the proportion
 * that has been reached.
 */
function boundedProportion(total: number, relative: readonly Relative[], lowest: number, lowSum: number): number {
  const bounds = relative
    .flatMap(({ target, lower, upper }) => [
      { at: lower, change: target },
      { at: upper, change: -target },
    ])
    .toSorted((a, b) => a.at - b.at)
  let proportion = lowest
  let sum = lowSum
  let sensitive = 0
  let claims = 0
  for (let next = 0; next < bounds.length; ) {
    for (; next < bounds.length && (bounds[next]?.at ?? 0) <= proportion; next++) {
      const change = bounds[next]?.change ?? 0
      sensitive += change
      claims += Math.sign(change)
    }
    const bound = bounds[next]?.at
    if (bound === undefined) break
    if (claims > 0) {
      const reached = proportion + (total - sum) / sensitive
      if (reached <= bound) return reached
      sum += (bound - proportion) * sensitive
    }
    proportion = bound
    if (sum >= total) return proportion
  }
  throw new RangeError('impossible: ran out of bounds to consider in bound-constrained problem')
}
