import { EXEMPT, type PriorityLevelConfig } from './configuration.ts'
import type { FlowClock } from './flow-clock.ts'
import type { FlowMetrics, LevelMeters } from './flow-metrics.ts'
import { Integrator } from './integrator.ts'
import { type Discipline, QueueSet } from './queue-set.ts'
import { dealerFault } from './shuffle-sharding.ts'

/** Maximum share of a level's seats for one request. */
const MAX_SEATS_PART = 0.15
/** Weight of the previous smoothed demand at each adjustment. Its half-life is five minutes. */
const SMOOTHING = 0.977
/** Default of the API. */
const DEFAULT_SHARES = 30

/** Shares of a priority level in the server's seats. */
export interface Shares {
  /** Nominal concurrency shares. Absolute only in relation to the sum of all levels. */
  readonly nominal: number
  /** Percentage of the nominal limit that may be lent. */
  readonly lendable: number
  /** Percentage of the nominal limit that may be borrowed. Undefined for no limit. */
  readonly borrowing: number | undefined
}

/** Limits in seats. */
interface Limits {
  /** Seats without borrowing and lending. */
  readonly nominal: number
  /** Seats that the level keeps, whatever it lends. */
  readonly min: number
  /** Seats that the level may have after borrowing. */
  readonly max: number
}

/**
 * A priority level: its queues, its limits of seats, and the demand for them since the last adjustment. Levels survive
 * a change of the configuration, so that waiting and executing requests keep their place.
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export class PriorityLevel {
  readonly name: string
  /** Queues and seats of the level. */
  readonly queues: QueueSet
  /** The current object. */
  config: PriorityLevelConfig
  discipline: Discipline
  /** Whether the level was removed from the configuration. It is dropped when its queues are empty. */
  quiescing = false
  /** Set by `setLimits`. */
  limits: Limits = { nominal: 0, min: 0, max: 0 }
  /** Seats after borrowing. Set by `setCurrentLimit`. */
  currentLimit = 0
  /** Maximum seats of a request's estimate; 0 for no limit of the level's own. */
  maxSeats = 0
  /** Demand for seats, as of the last adjustment. */
  average = 0
  /** Standard deviation of the demand in the last period. */
  deviation = 0
  /** Largest demand in the last period, in seats. */
  highWatermark = 0
  /** Envelope of the demand, which rises immediately and falls slowly. */
  smoothed = 0
  readonly #demand: Integrator
  readonly #meters: LevelMeters

  constructor(config: PriorityLevelConfig, discipline: Discipline, clock: FlowClock, metrics: FlowMetrics) {
    this.name = config.metadata.name ?? ''
    this.config = config
    this.discipline = discipline
    this.#meters = metrics.levelMeters(this.name)
    this.#demand = new Integrator(() => clock.now())
    this.queues = new QueueSet({ clock, meters: this.#meters, demand: this.#demand })
  }

  /** Whether requests of the level never wait. */
  get isExempt(): boolean {
    return this.discipline === 'exempt'
  }

  /** Shares of the current object, with the API's defaults. */
  get shares(): Shares {
    return sharesOf(this.config)
  }

  /** Sets the level's limits to its share of the server's seats. */
  setLimits(totalSeats: number, shareSum: number): void {
    const { nominal: shares, lendable, borrowing } = this.shares
    const nominal = Math.ceil((totalSeats * shares) / shareSum)
    const lent = roundAway((nominal * lendable) / 100)
    const borrowed = borrowing === undefined ? totalSeats : roundAway((nominal * borrowing) / 100)
    this.limits = { nominal, min: nominal - lent, max: nominal + borrowed }
    const { discipline } = this
    if (typeof discipline === 'object')
      this.maxSeats = Math.max(1, Math.min(Math.ceil(nominal * MAX_SEATS_PART), Math.floor(nominal / discipline.handSize)))
  }

  /** Reads the demand since the last call. */
  observeDemand(): void {
    const { seconds, average, deviation, max } = this.#demand.reset()
    this.highWatermark = roundAway(max)
    if (seconds <= 0) return
    this.average = average
    this.deviation = Number.isNaN(deviation) ? 0 : deviation
    const envelope = this.average + this.deviation
    this.smoothed = Math.max(envelope, SMOOTHING * this.smoothed + (1 - SMOOTHING) * envelope)
  }

  /**
   * Returns the least limit that borrowing leaves the level: the seats that it has needed, up to its nominal limit, and
   * those that it does not lend.
   */
  get lowerBound(): number {
    const { nominal, min } = this.limits
    return Math.max(min, this.isExempt ? this.highWatermark : Math.min(nominal, this.highWatermark))
  }

  /** Sets the limit after borrowing. `idleDenominator`: denominator of the utilization if the limit is 0. */
  setCurrentLimit(limit: number, idleDenominator: number): void {
    this.currentLimit = limit
    const denominator = limit > 0 ? limit : idleDenominator
    this.#meters.demand.setDenominator(denominator)
    this.queues.configure(this.discipline, { limit, denominator })
  }
}

/** Rounds as Go's math.Round: halves away from zero. Values are not negative. */
export const roundAway = (value: number): number => Math.floor(value + 0.5)

/** Returns a level's shares with the API's defaults. */
export function sharesOf({ spec: { limited, exempt } }: PriorityLevelConfig): Shares {
  if (limited === undefined)
    return { nominal: exempt?.nominalConcurrencyShares ?? 0, lendable: exempt?.lendablePercent ?? 0, borrowing: undefined }
  return {
    nominal: limited.nominalConcurrencyShares ?? DEFAULT_SHARES,
    lendable: limited.lendablePercent ?? 0,
    borrowing: limited.borrowingLimitPercent,
  }
}

/** Returns a level's queuing discipline. Throws an Error if the object is inconsistent, which validation prevents. */
export function disciplineOf({ metadata: { name }, spec: { type, limited, exempt } }: PriorityLevelConfig): Discipline {
  if ((type === 'Limited') !== (limited !== undefined)) throw new Error('broken union structure at the top, for Limited')
  if (type !== 'Exempt' && exempt !== undefined) throw new Error('broken union structure at the top, for Exempt')
  if ((type === 'Exempt') !== (name === EXEMPT)) throw new Error('non-alignment between name and type')
  if (limited === undefined) return 'exempt'
  const { queuing } = limited.limitResponse
  if ((limited.limitResponse.type === 'Reject') !== (queuing === undefined)) throw new Error('broken union structure for limit response')
  if (queuing === undefined) return 'no queues'
  const fault = dealerFault(queuing.queues, queuing.handSize)
  if (fault !== undefined)
    throw new Error(`the QueueSetConfig implies an invalid shuffle sharding config (DesiredNumQueues is deckSize): ${fault}`)
  return queuing
}
