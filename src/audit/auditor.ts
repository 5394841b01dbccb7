import { formatDuration } from '../lib/duration.ts'
import type { Logger } from '../lib/log.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { AuditedBody } from '../meta/audit.ts'
import type { User } from '../meta/context.ts'
import { ByteRoom } from './byte-room.ts'
import { AuditEvent, type AuditedRequest } from './event.ts'
import { jsonPieces } from './json-line.ts'
import { legacyText } from './legacy-line.ts'
import { type AuditLine, bytesOf, isFilled, lineOf } from './line.ts'
import { ManagedFieldsFilter } from './managed-fields-filter.ts'
import type { AuditMetrics, AuditPlugin } from './metrics.ts'
import type { PolicyEvaluator, Stage } from './policy.ts'
import type { AuditSink } from './sink.ts'

export type AuditFormat = 'json' | 'legacy'

export interface AuditorOptions {
  readonly evaluate: PolicyEvaluator
  readonly sink: AuditSink
  readonly format: AuditFormat
  /** Bytes beyond which an event loses its objects, and is lost where that does not suffice; undefined: events are written whatever their length. */
  readonly maxEventBytes: number | undefined
  readonly metrics: AuditMetrics
  readonly log: Logger
}

/** Decides what is audited, and writes the events of it. */
export class Auditor {
  readonly metrics: AuditMetrics
  private readonly options: AuditorOptions
  /** For lists of which something is left out: they lie in memory as a whole, until they are written. */
  private readonly room = new ByteRoom(ROOM_BYTES, MOST_WAITING_BYTES)

  constructor(options: AuditorOptions) {
    this.options = options
    this.metrics = options.metrics
  }

  /** Requests wait until their events are written. */
  get waits(): boolean {
    return this.options.sink.waits
  }

  /** The event of a request; undefined where the policy wants none. `user` undefined: nobody knows who makes it. */
  begin(request: AuditedRequest, user: User | undefined): AuditEvent | undefined {
    const audited = this.options.evaluate(user, request.info)
    this.metrics.level(audited?.level ?? 'None')
    return audited && new AuditEvent(request, audited, user)
  }

  /**
   * Writes what is known of the request at this moment, unless the policy leaves the stage out. Resolves when it is written, or queued; false where that fails a request that begins. Never
   * rejects.
   */
  async process(event: AuditEvent, stage: Stage): Promise<boolean> {
    if (event.audited.omitStages.has(stage)) return true
    const { request } = event
    this.metrics.events.value++
    const at = stage === 'RequestReceived' ? request.receivedAt : request.receivedAt + request.elapsed()
    if (stage === 'ResponseComplete' && request.info.verb !== 'watch' && request.elapsed() > SLOW_MS)
      event.annotate('apiserver.latency.k8s.io/total', durationOf(request.elapsed()))
    const told = (): string => legacyText(event, stage)
    if (this.options.format === 'legacy') return this.bounded(event, lineOf([told()]), told)
    const pieces = jsonPieces(event, stage, at)
    const shorten = (): AuditLine => {
      event.requestBody = undefined
      event.responseBody = undefined
      event.annotate('audit.k8s.io/truncated', 'true')
      return lineOf(jsonPieces(event, stage, at))
    }
    if (!event.audited.omitManagedFields) return this.bounded(event, lineOf(pieces), told, shorten)
    const bytes = filledBytes(pieces)
    if (bytes > 0 && !(await this.room.take(bytes))) return this.lose('log', 'too many events wait for the log', told)
    try {
      return await this.bounded(event, lineOf(await withoutManagedFields(pieces)), told, shorten)
    } finally {
      if (bytes > 0) this.room.give(bytes)
    }
  }

  /** `shorten`: the line of an event without its objects. */
  private async bounded(event: AuditEvent, line: AuditLine, told: () => string, shorten?: () => AuditLine): Promise<boolean> {
    const { maxEventBytes = Number.POSITIVE_INFINITY, sink } = this.options
    const fitting = line.length > maxEventBytes && event.showsRequest && shorten ? shorten() : line
    if (fitting.length <= maxEventBytes) return sink.process({ line: fitting, told })
    return this.lose('truncate', 'event is too large even after truncating', told)
  }

  /** Counts and logs an event that is not written. No request fails for it. */
  private lose(plugin: AuditPlugin, error: string, told: () => string): true {
    this.metrics.failed(plugin, 1)
    this.options.log.error(`Error in audit plugin '${plugin}' affecting 1 audit events`, { error, event: told() })
    return true
  }

  /** Writes what waits. */
  close(): Promise<void> {
    return this.options.sink.close()
  }
}

/** Requests that take longer say how long, but for watches. */
const SLOW_MS = 500

const durationOf = (milliseconds: number): string => formatDuration(BigInt(Math.round(milliseconds * 1e6)))

const ROOM_BYTES = 64 * 1024 * 1024
/** While the log takes nothing, clients go and come again, and their answers wait on for room. */
const MOST_WAITING_BYTES = 512 * 1024 * 1024

/** Bytes of bodies that are made while they are sent. */
const filledBytes = (pieces: readonly (string | AuditedBody)[]): number =>
  pieces.reduce((bytes, piece) => (typeof piece === 'string' || !isFilled(piece) ? bytes : bytes + piece.length), 0)

/** Bytes of a body, of which each is looked at: a millisecond or so. */
const FILTERED_AT_ONCE = 32 * 1024

async function withoutManagedFields(pieces: readonly (string | AuditedBody)[]): Promise<(string | AuditedBody)[]> {
  const shown: (string | AuditedBody)[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      shown.push(piece)
      continue
    }
    const filter = new ManagedFieldsFilter()
    const parts: Buffer[] = []
    for await (const bytes of bytesOf(piece))
      for (let at = 0; at < bytes.length; at += FILTERED_AT_ONCE) {
        if (turnIsSpent()) await nextTurn()
        parts.push(filter.write(bytes.subarray(at, at + FILTERED_AT_ONCE)))
      }
    shown.push(parts)
  }
  return shown
}
