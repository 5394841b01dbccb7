import { EXEMPT, type PriorityLevelConfig } from './configuration.ts'
import type { FlowClock } from './flow-clock.ts'
import type { FlowMetrics, LevelMeters } from './flow-metrics.ts'
import { Integrator } from './integrator.ts'
import { type Discipline, QueueSet } from './queue-set.ts'
import { dealerFault } from './shuffle-sharding.ts'

/** Of a request's level, one request has this part of the seats at the most. */
const MAX_SEATS_PART = 0.15
/** Of what is demanded: it is half forgotten after five minutes. */
const SMOOTHING = 0.977
/** The default of the API. */
const DEFAULT_SHARES = 30

export interface Shares {
  readonly nominal: number
  /** Percent of the limit. */
  readonly lendable: number
  /** Absent: no limit. */
  readonly borrowing: number | undefined
}

/** Limits of seats. */
interface Limits {
  readonly nominal: number
  readonly min: number
  readonly max: number
}

/**
 * One priority level: its queues, its limits of seats, and how much of them was wanted since the last adjustment. Levels live from one configuration to the next, so that requests that wait or run
 * keep their place. https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export class PriorityLevel {
  readonly name: string
  readonly queues: QueueSet
  /** As it is configured; replaced with each change. */
  config: PriorityLevelConfig
  discipline: Discipline
  /** It is no longer wanted, and goes when its queues are empty. */
  quiescing = false
  limits: Limits = { nominal: 0, min: 0, max: 0 }
  currentLimit = 0
  /** What an estimate may give to one request; 0: it has no say. */
  maxSeats = 0
  /** Of the demand for seats, from the last adjustment of limits. */
  average = 0
  deviation = 0
  highWatermark = 0
  smoothed = 0
  private readonly demand: Integrator
  private readonly meters: LevelMeters

  constructor(config: PriorityLevelConfig, discipline: Discipline, clock: FlowClock, metrics: FlowMetrics) {
    this.name = config.metadata.name ?? ''
    this.config = config
    this.discipline = discipline
    this.meters = metrics.levelMeters(this.name)
    this.demand = new Integrator(() => clock.now())
    this.queues = new QueueSet({ clock, meters: this.meters, demand: this.demand })
  }

  get isExempt(): boolean {
    return this.discipline === 'exempt'
  }

  get shares(): Shares {
    return sharesOf(this.config)
  }

  /** Its part of the server's seats, by its shares. */
  setLimits(totalSeats: number, shareSum: number): void {
    const { nominal: shares, lendable, borrowing } = this.shares
    const nominal = Math.ceil((totalSeats * shares) / shareSum)
    const lent = roundAway((nominal * lendable) / 100)
    const borrowed = borrowing === undefined ? totalSeats : roundAway((nominal * borrowing) / 100)
    this.limits = { nominal, min: nominal - lent, max: nominal + borrowed }
    const { discipline } = this
    if (typeof discipline === 'object') this.maxSeats = Math.max(1, Math.min(Math.ceil(nominal * MAX_SEATS_PART), Math.floor(nominal / discipline.handSize)))
  }

  /** Reads what was demanded since the last time. */
  observeDemand(): void {
    const { seconds, average, deviation, max } = this.demand.reset()
    this.highWatermark = roundAway(max)
    if (seconds <= 0) return
    this.average = average
    this.deviation = Number.isNaN(deviation) ? 0 : deviation
    const envelope = this.average + this.deviation
    this.smoothed = Math.max(envelope, SMOOTHING * this.smoothed + (1 - SMOOTHING) * envelope)
  }

  /** The least that it is left with: what it has needed, but no more than is its own, and what it does not lend. */
  get lowerBound(): number {
    const { nominal, min } = this.limits
    return Math.max(min, this.isExempt ? this.highWatermark : Math.min(nominal, this.highWatermark))
  }

  /** `idleDenominator`: what utilization is measured by where the level has no seats. */
  setCurrentLimit(limit: number, idleDenominator: number): void {
    this.currentLimit = limit
    const denominator = limit > 0 ? limit : idleDenominator
    this.meters.demand.setDenominator(denominator)
    this.queues.configure(this.discipline, { limit, denominator })
  }
}

/** As Go's math.Round: halves go away from zero. Nothing is negative here. */
export const roundAway = (value: number): number => Math.floor(value + 0.5)

/** What a level asks for of the seats of all, with the defaults of the API. */
export function sharesOf({ spec: { limited, exempt } }: PriorityLevelConfig): Shares {
  if (limited === undefined) return { nominal: exempt?.nominalConcurrencyShares ?? 0, lendable: exempt?.lendablePercent ?? 0, borrowing: undefined }
  return { nominal: limited.nominalConcurrencyShares ?? DEFAULT_SHARES, lendable: limited.lendablePercent ?? 0, borrowing: limited.borrowingLimitPercent }
}

/** How a level keeps its requests. Throws where the object contradicts itself, which validation prevents. */
export function disciplineOf({ metadata: { name }, spec: { type, limited, exempt } }: PriorityLevelConfig): Discipline {
  if ((type === 'Limited') !== (limited !== undefined)) throw new Error('broken union structure at the top, for Limited')
  if (type !== 'Exempt' && exempt !== undefined) throw new Error('broken union structure at the top, for Exempt')
  if ((type === 'Exempt') !== (name === EXEMPT)) throw new Error('non-alignment between name and type')
  if (limited === undefined) return 'exempt'
  const { queuing } = limited.limitResponse
  if ((limited.limitResponse.type === 'Reject') !== (queuing === undefined)) throw new Error('broken union structure for limit response')
  if (queuing === undefined) return 'no queues'
  const fault = dealerFault(queuing.queues, queuing.handSize)
  if (fault !== undefined) throw new Error(`the QueueSetConfig implies an invalid shuffle sharding config (DesiredNumQueues is deckSize): ${fault}`)
  return queuing
}
