import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { allocateConcurrency } from './allocate-concurrency.ts'
import type { FlowMetrics } from './flow-metrics.ts'
import { type PriorityLevel, roundAway } from './priority-level.ts'

/** Services and settings of an adjustment. */
export interface BorrowingParts {
  /** Seats of the server. */
  readonly totalSeats: number
  readonly metrics: FlowMetrics
  readonly log: Pick<Logger, 'error'>
}

/**
 * Sets each level's current limit by its demand, within the seats that it has, lends and may borrow. Exempt levels take
 * what they need, and the others share the rest. Source: updateBorrowingLocked in k8s.io/apiserver,
 * pkg/util/flowcontrol/apf_controller.go.
 */
export function adjustLimits(levels: Iterable<PriorityLevel>, { totalSeats, metrics, log }: BorrowingParts): void {
  const all = [...levels]
  for (const level of all) level.observeDemand()
  const exempt = all.filter(({ isExempt }) => isExempt)
  const limited = all.filter(({ isExempt }) => !isExempt)
  const nominalSum = sum(all, ({ limits }) => limits.nominal)
  const remaining = nominalSum - sum(exempt, ({ lowerBound }) => lowerBound)
  const limits = share(limited, { remaining, nominalSum, metrics, log })
  const idleDenominator = Math.max(1, roundAway(totalSeats / 10))
  for (const level of all) {
    const { lowerBound, highWatermark, average, deviation, smoothed } = level
    const currentLimit = limits.get(level) ?? lowerBound
    const target = level.isExempt ? lowerBound : targetSeats(level)
    metrics.adjusted(level.name, { highWatermark, average, deviation, smoothed, target, currentLimit })
    level.setCurrentLimit(currentLimit, idleDenominator)
  }
}

const targetSeats = ({ lowerBound, smoothed }: PriorityLevel): number => Math.max(lowerBound, smoothed)

interface Sharing extends Omit<BorrowingParts, 'totalSeats'> {
  /** Seats for levels that are not exempt. */
  readonly remaining: number
  readonly nominalSum: number
}

/**
 * Returns the limits of the levels that are not exempt. If their lower bounds exceed the remaining seats, these are
 * scaled down towards the minimums.
 */
function share(levels: readonly PriorityLevel[], { remaining, nominalSum, metrics, log }: Sharing): Map<PriorityLevel, number> {
  const minSum = sum(levels, ({ limits }) => limits.min)
  const lowerSum = sum(levels, ({ lowerBound }) => lowerBound)
  const each = (limitOf: (level: PriorityLevel, index: number) => number): Map<PriorityLevel, number> =>
    new Map(levels.map((level, index) => [level, limitOf(level, index)]))
  if (remaining <= lowerSum) {
    metrics.divided(0)
    if (remaining <= minSum) return each(({ limits }) => limits.min)
    const part = (remaining - minSum) / (lowerSum - minSum)
    return each(({ limits, lowerBound }) => limits.min + roundAway((lowerBound - limits.min) * part))
  }
  try {
    const { seats, fairProportion } = allocateConcurrency(
      nominalSum,
      levels.map(level => ({ lowerBound: level.lowerBound, upperBound: level.limits.max, target: targetSeats(level) })),
    )
    metrics.divided(fairProportion)
    return each((_, index) => roundAway(seats[index] ?? 0))
  } catch (error) {
    log.error('Unable to derive new concurrency limits', { plNames: levels.map(({ name }) => name), error: errorMessage(error) })
    metrics.divided(0)
    return each(({ currentLimit }) => currentLimit)
  }
}

function sum(levels: readonly PriorityLevel[], of: (level: PriorityLevel) => number): number {
  let total = 0
  for (const level of levels) total += of(level)
  return total
}
