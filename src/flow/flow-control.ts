import { compareText } from '../lib/compare-text.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import { adjustLimits } from './borrowing.ts'
import { Classifier } from './classifier.ts'
import { CATCH_ALL, EXEMPT, type FlowSchemaConfig, type PriorityLevelConfig } from './configuration.ts'
import { DroppedRequests } from './dropped-requests.ts'
import { Flow } from './flow.ts'
import type { FlowClock } from './flow-clock.ts'
import type { FlowMetrics } from './flow-metrics.ts'
import { disciplineOf, PriorityLevel } from './priority-level.ts'
import type { SeatRequest } from './queued-requests.ts'
import { WatchTracker } from './watch-tracker.ts'
import { type EstimatedRequest, type EstimateOptions, estimateWork, makesEvents, maxSeatsOf } from './work-estimate.ts'

/** The part of a request that flow control uses. */
export interface FlowRequest extends EstimatedRequest {
  readonly user: User
}

/** Objects that configure flow control. */
export interface FlowConfiguration {
  readonly levels: readonly PriorityLevelConfig[]
  /** Objects in any order. They are sorted by precedence, then by name. */
  readonly schemas: readonly FlowSchemaConfig[]
}

/**
 * `totalSeats`: the sum of `--max-requests-inflight` and `--max-mutating-requests-inflight`, which levels share by
 * their shares.
 */
export interface FlowControlParts extends EstimateOptions {
  /** Seats for requests that are not exempt. */
  readonly totalSeats: number
  readonly clock: FlowClock
  readonly metrics: FlowMetrics
  readonly log: Logger
  /** The objects `exempt` and `catch-all`, which apply if the store does not have them. */
  readonly mandatory: FlowConfiguration
}

/**
 * Priority and fairness: assigns each request to a priority level, which decides when it gets seats. Levels share the
 * seats of the server, and lend those that they do not need. Source: pkg/util/flowcontrol in k8s.io/apiserver.
 */
export class FlowControl {
  /** Numbers of watches, by which the cost of a write is estimated. */
  readonly watches = new WatchTracker()
  /** Rejected requests of each level, which determine the header `Retry-After`. */
  readonly dropped: DroppedRequests
  readonly #parts: FlowControlParts
  #levelsByName = new Map<string, PriorityLevel>()
  /** Flows in order of precedence. */
  #flows: readonly Flow[] = []
  #classifier = new Classifier<Flow>([])
  #configuration: FlowConfiguration

  constructor(parts: FlowControlParts) {
    this.#parts = parts
    this.dropped = new DroppedRequests(() => parts.clock.now())
    this.#configuration = parts.mandatory
    this.configure({ levels: [], schemas: [] })
  }

  /** Levels by name, those included that are removed but not idle. */
  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#levelsByName
  }

  /** Applies the current objects. Inconsistent ones, and schemas of missing levels, are ignored. */
  configure(configuration: FlowConfiguration): void {
    this.#configuration = configuration
    const before = this.#levelsByName
    const levels = new Map<string, PriorityLevel>()
    for (const config of configuration.levels) {
      const level = this.#levelOf(config)
      if (level !== undefined) levels.set(level.name, level)
    }
    for (const config of this.#parts.mandatory.levels) {
      const name = config.metadata.name ?? ''
      if (levels.has(name)) continue
      const level = before.get(name) ?? this.#levelOf(config)
      if (level !== undefined) levels.set(name, level)
    }
    this.#flows = this.#flowsOf(configuration.schemas, levels)
    this.#classifier = new Classifier(this.#flows)
    this.#keepBusy(before, levels)
    this.#levelsByName = levels
    this.dropped.keep(name => levels.has(name))
    this.#divide()
  }

  /** Adjusts the limits to the demand since the last call. Called every ten seconds. */
  adjust(): void {
    adjustLimits(this.#levelsByName.values(), this.#parts)
  }

  /**
   * Classifies a request and requests its seats. The state of the result says whether it has them, waits for them or is
   * rejected.
   */
  start(request: FlowRequest): SeatRequest {
    const { user, info } = request
    const flow = this.classify(user, info)
    const { priorityLevel, meters } = flow
    const distinguisher = flow.distinguisherOf(user, info)
    let watches = 0
    if (makesEvents(info)) {
      watches = this.watches.interestedIn(info)
      meters.watches().observe(watches)
    }
    const estimate = estimateWork(request, watches, priorityLevel.maxSeats, this.#parts)
    meters.estimated.observe(maxSeatsOf(estimate))
    const seats = priorityLevel.queues.start({ flow, distinguisher, estimate, details: request }, flow.handOf(distinguisher))
    if (priorityLevel.quiescing) this.#reap(priorityLevel)
    return seats
  }

  /** Ends a request, or the initial phase of a watch. May be called repeatedly. */
  finish(seats: SeatRequest): void {
    this.#within(seats, ({ queues }) => queues.finish(seats))
  }

  /** Rejects a waiting request. */
  giveUp(seats: SeatRequest): void {
    this.#within(seats, ({ queues }) => queues.cancel(seats))
  }

  /** Calls `act` with the level of a request. A level exists while it has requests. */
  #within({ arrival }: SeatRequest, act: (level: PriorityLevel) => void): void {
    const level = this.#levelsByName.get(arrival.flow.level)
    if (level === undefined) return
    act(level)
    if (level.quiescing) this.#reap(level)
  }

  /** Returns the schema that selects the request. */
  classify(user: User, info: RequestInfo): Flow {
    const found = this.#classifier.find(user, info)
    if (found !== undefined) return found
    // The mandatory schemas always exist. This one selects every request.
    const last = this.#flows.find(({ schema }) => schema === CATCH_ALL)
    if (last === undefined) throw new Error('no fallback catch-all flow schema')
    return last
  }

  /**
   * Returns the present level with the new configuration, so that its requests and queues stay. Undefined, with a
   * warning, for an object that cannot be used.
   */
  #levelOf(config: PriorityLevelConfig): PriorityLevel | undefined {
    try {
      const discipline = disciplineOf(config)
      const { clock, metrics } = this.#parts
      const level = this.#levelsByName.get(config.metadata.name ?? '') ?? new PriorityLevel(config, discipline, clock, metrics)
      level.config = config
      level.discipline = discipline
      level.quiescing = false
      return level
    } catch (error) {
      this.#parts.log.warn('Ignoring PriorityLevelConfiguration object because its spec is broken', {
        name: config.metadata.name,
        error: errorMessage(error),
      })
      return undefined
    }
  }

  /** Mandatory schemas that the store lacks are added: `exempt` first and `catch-all` last. */
  #flowsOf(schemas: readonly FlowSchemaConfig[], levels: ReadonlyMap<string, PriorityLevel>): Flow[] {
    const { metrics, mandatory } = this.#parts
    const flowOf = (schema: FlowSchemaConfig): Flow[] => {
      const level = levels.get(schema.spec.priorityLevelConfiguration.name)
      return level === undefined ? [] : [new Flow(schema, level, metrics)]
    }
    const flows = schemas.toSorted(byPrecedence).flatMap(flowOf)
    const missing = (name: string): Flow[] =>
      flows.some(({ schema }) => schema === name) ? [] : mandatory.schemas.filter(({ metadata }) => metadata.name === name).flatMap(flowOf)
    return [...missing(EXEMPT), ...flows, ...missing(CATCH_ALL)]
  }

  /** Keeps removed levels until their queues are empty, with their shares. */
  #keepBusy(before: ReadonlyMap<string, PriorityLevel>, levels: Map<string, PriorityLevel>): void {
    for (const [name, level] of before) {
      if (levels.has(name) || level.queues.isIdle) continue
      level.quiescing = true
      levels.set(name, level)
    }
  }

  /** Divides the server's seats among the levels by their shares, and adjusts the limits. */
  #divide(): void {
    const { totalSeats, metrics } = this.#parts
    let shareSum = 0
    for (const { shares } of this.#levelsByName.values()) shareSum += shares.nominal
    let [room, places] = [0, 0]
    for (const level of this.#levelsByName.values()) {
      level.setLimits(totalSeats, shareSum)
      metrics.configured(level.name, level.limits)
      room += level.limits.nominal
      if (typeof level.discipline === 'object') places += level.discipline.queues * level.discipline.queueLengthLimit
    }
    for (const kind of ['readOnly', 'mutating'] as const) {
      metrics.requestsOf('executing', kind).setDenominator(room)
      metrics.requestsOf('waiting', kind).setDenominator(Math.max(places, 1))
    }
    this.adjust()
  }

  /** Drops a removed level once it is idle, by applying the configuration again. */
  #reap(level: PriorityLevel): void {
    if (level.queues.isIdle) this.configure(this.#configuration)
  }
}

const byPrecedence = (a: FlowSchemaConfig, b: FlowSchemaConfig): number =>
  a.spec.matchingPrecedence - b.spec.matchingPrecedence || compareText(a.metadata.name ?? '', b.metadata.name ?? '')
