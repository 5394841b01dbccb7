import { SizedCache } from '../lib/sized-cache.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import type { Classified } from './classifier.ts'
import type { FlowSchemaConfig, Rule } from './configuration.ts'
import type { FlowMeters, FlowMetrics } from './flow-metrics.ts'
import type { PriorityLevel } from './priority-level.ts'
import type { FlowOfRequest } from './queued-requests.ts'
import { dealHand, hashFlow } from './shuffle-sharding.ts'

/** Hands that are remembered, and characters of what they are remembered by: a hash costs more than all the rest of a small request. */
const MAX_HANDS = 1024
const MAX_SIZE = 1 << 18
const NO_HAND: readonly number[] = []

/** The requests that one flow schema selects, in its priority level. */
export class Flow implements FlowOfRequest, Classified {
  readonly schema: string
  readonly schemaUid: string
  readonly level: string
  readonly levelUid: string
  readonly priorityLevel: PriorityLevel
  readonly rules: readonly Rule[]
  private readonly method: string | undefined
  private readonly metrics: FlowMetrics
  private made: FlowMeters | undefined
  /** By distinguisher, which is as long as a client makes it. */
  private readonly hands = new SizedCache<readonly number[]>(MAX_HANDS, MAX_SIZE)

  constructor({ metadata, spec }: FlowSchemaConfig, level: PriorityLevel, metrics: FlowMetrics) {
    this.schema = metadata.name ?? ''
    this.schemaUid = metadata.uid ?? ''
    this.level = level.name
    this.levelUid = level.config.metadata.uid ?? ''
    this.priorityLevel = level
    this.rules = spec.rules ?? []
    this.method = spec.distinguisherMethod?.type
    this.metrics = metrics
  }

  /** Made with the first request: schemas without requests are not shown. */
  get meters(): FlowMeters {
    this.made ??= this.metrics.flowMeters(this.level, this.schema)
    return this.made
  }

  /** What distinguishes the flows of the schema; empty where there are not several queues. */
  distinguisherOf(user: User, info: RequestInfo): string {
    const { discipline } = this.priorityLevel
    if (typeof discipline !== 'object' || discipline.queues <= 1) return ''
    if (this.method === 'ByUser') return user.name
    return this.method === 'ByNamespace' ? info.namespace : ''
  }

  /** The queues that a flow may use; nothing in a level without queues. */
  handOf(distinguisher: string): readonly number[] {
    const { discipline } = this.priorityLevel
    if (typeof discipline !== 'object') return NO_HAND
    const known = this.hands.get(distinguisher)
    if (known !== undefined) return known
    const hash = discipline.queues > 1 ? hashFlow(this.schema, distinguisher) : 0n
    const hand = dealHand(hash, discipline.queues, discipline.handSize)
    this.hands.set(distinguisher, hand, distinguisher.length)
    return hand
  }
}
