import type { PolicyRulesWithSubjects } from '../api/flowcontrol/v1.types.ts'
import { SizedCache } from '../lib/sized-cache.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import type { Classified } from './classifier.ts'
import type { FlowSchemaConfig } from './configuration.ts'
import type { FlowMeters, FlowMetrics } from './flow-metrics.ts'
import type { PriorityLevel } from './priority-level.ts'
import type { FlowOfRequest } from './queued-requests.ts'
import { dealHand, hashFlow } from './shuffle-sharding.ts'

/**
 * Maximum number of cached hands, and characters of their distinguishers. Computing a hash costs more than the rest of
 * a small request.
 */
const MAX_HANDS = 1024
/** Limit for the characters of all distinguishers. */
const MAX_SIZE = 1 << 18
/** Hand of flows in levels without queues. */
const NO_HAND: readonly number[] = []

/** A flow schema in its priority level. */
export class Flow implements FlowOfRequest, Classified {
  readonly schema: string
  /** Empty if the object does not exist yet. */
  readonly schemaUid: string
  readonly level: string
  /** Empty if the object does not exist yet. */
  readonly levelUid: string
  /** Level whose seats the flow uses. */
  readonly priorityLevel: PriorityLevel
  /** Rules of the schema. A request matches if one rule does. */
  readonly rules: readonly PolicyRulesWithSubjects[]
  readonly #method: string | undefined
  readonly #metrics: FlowMetrics
  #made: FlowMeters | undefined
  /** Hands by distinguisher. A client chooses its length, so the size is bounded. */
  readonly #hands = new SizedCache<readonly number[]>(MAX_HANDS, MAX_SIZE)

  constructor({ metadata, spec }: FlowSchemaConfig, level: PriorityLevel, metrics: FlowMetrics) {
    this.schema = metadata.name ?? ''
    this.schemaUid = metadata.uid ?? ''
    this.level = level.name
    this.levelUid = level.config.metadata.uid ?? ''
    this.priorityLevel = level
    this.rules = spec.rules ?? []
    this.#method = spec.distinguisherMethod?.type
    this.#metrics = metrics
  }

  /** Created for the first request: schemas without requests are not exposed. */
  get meters(): FlowMeters {
    this.#made ??= this.#metrics.flowMeters(this.level, this.schema)
    return this.#made
  }

  /** Returns the distinguisher of a request's flow. Empty unless the level has several queues. */
  distinguisherOf(user: User, info: RequestInfo): string {
    const { discipline } = this.priorityLevel
    if (typeof discipline !== 'object' || discipline.queues <= 1) return ''
    if (this.#method === 'ByUser') return user.name
    return this.#method === 'ByNamespace' ? info.namespace : ''
  }

  /** Returns the queues that a flow may use. Empty if the level has no queues. */
  handOf(distinguisher: string): readonly number[] {
    const { discipline } = this.priorityLevel
    if (typeof discipline !== 'object') return NO_HAND
    const known = this.#hands.get(distinguisher)
    if (known !== undefined) return known
    const hash = discipline.queues > 1 ? hashFlow(this.schema, distinguisher) : 0n
    const hand = dealHand(hash, discipline.queues, discipline.handSize)
    this.#hands.set(distinguisher, hand, distinguisher.length)
    return hand
  }
}
