import { formatDuration } from '../lib/duration.ts'
import type { Logger } from '../lib/log.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { AuditedBody } from '../meta/audit.ts'
import type { User } from '../meta/context.ts'
import { ByteRoom } from './byte-room.ts'
import { AuditEvent, type AuditedRequest } from './event.ts'
import { jsonPieces, truncatedPieces } from './json-line.ts'
import { legacyText } from './legacy-line.ts'
import { type AuditLine, bodyBytes, isFilled, lineOf } from './line.ts'
import { ManagedFieldsFilter } from './managed-fields-filter.ts'
import type { AuditMetrics, AuditPlugin } from './metrics.ts'
import { pluginFailed } from './plugin-failure.ts'
import type { PolicyEvaluator, Stage } from './policy.ts'
import type { AuditSink, EventSummary } from './sink.ts'

/** Format of a log's lines (`--audit-log-format`). */
export type AuditFormat = 'json' | 'legacy'

/** A destination of events. */
export interface AuditTarget {
  /** Name in metrics and messages: `log` or `webhook`. */
  readonly plugin: AuditPlugin
  /** Writes or queues lines. */
  readonly sink: AuditSink
  /** Format of the lines. Webhooks have `json`. */
  readonly format: AuditFormat
  /**
   * Bytes beyond which the objects of an event are removed. If it is still longer, the event is dropped. Undefined if
   * there is no limit.
   */
  readonly maxEventBytes: number | undefined
}

/** Policy and destinations, which do not change while the server runs. */
export interface AuditorOptions {
  /** Returns the level and stages of a request, or undefined if it is not audited. */
  readonly evaluate: PolicyEvaluator
  /** Each event is written to one target after the other. Never empty. */
  readonly targets: readonly AuditTarget[]
  readonly metrics: AuditMetrics
  readonly log: Logger
}

/** An event at a stage, in each format. */
interface RenderedEvent {
  readonly event: AuditEvent
  /** JSON of the event in parts. Empty if every target has the legacy format. */
  readonly pieces: readonly (string | AuditedBody)[]
  /** Returns the event without its objects. */
  truncated(): AuditLine
  /** Legacy text, also for messages about lost events. */
  readonly summary: EventSummary
}

/** Decides which requests are audited, and writes their events. */
export class Auditor {
  readonly metrics: AuditMetrics
  readonly #options: AuditorOptions
  /** Memory for lists with filtered managed fields, which are buffered as a whole until they are written. */
  readonly #room = new ByteRoom(ROOM_BYTES, MOST_WAITING_BYTES)

  constructor(options: AuditorOptions) {
    this.#options = options
    this.metrics = options.metrics
  }

  /** Whether requests wait until their events are written. */
  get waits(): boolean {
    return this.#options.targets.some(({ sink }) => sink.waits)
  }

  /**
   * Returns the event of a request. Undefined if the policy excludes it. `user`: undefined if the request was not
   * authenticated.
   */
  begin(request: AuditedRequest, user: User | undefined): AuditEvent | undefined {
    const audited = this.#options.evaluate(user, request.info)
    this.metrics.level(audited?.level ?? 'None')
    return audited && new AuditEvent(request, audited, user)
  }

  /**
   * Writes an event for the current state of the request, unless the policy omits the stage. Resolves when it is
   * written or queued. Resolves with false if the request must fail because its first event cannot be written. Never
   * rejects.
   */
  async process(event: AuditEvent, stage: Stage): Promise<boolean> {
    if (event.audited.omitStages.has(stage)) return true
    const { targets } = this.#options
    const { request } = event
    this.metrics.events.value++
    const at = stage === 'RequestReceived' ? request.receivedAt : request.receivedAt + request.elapsed()
    if (stage === 'ResponseComplete' && request.info.verb !== 'watch' && request.elapsed() > SLOW_MS)
      event.annotate('apiserver.latency.k8s.io/total', millisecondsText(request.elapsed()))
    const given = { event, truncated: () => lineOf(truncatedPieces(event, stage, at)), summary: legacyText(event, stage) }
    const pieces = targets.every(({ format }) => format === 'legacy') ? [] : jsonPieces(event, stage, at)
    const { omitManagedFields } = event.audited
    // A body that is made while it is written can only be read once.
    if (!omitManagedFields && targets.length === 1) return this.#write({ ...given, pieces })
    const bytes = filledBytes(pieces)
    if (bytes > 0 && !(await this.#room.take(bytes))) {
      for (const { plugin } of targets) this.#lose(plugin, `too many events wait for the ${plugin}`, given)
      return true
    }
    try {
      return await this.#write({ ...given, pieces: await readBodies(pieces, omitManagedFields) })
    } finally {
      if (bytes > 0) this.#room.give(bytes)
    }
  }

  /** Writes to one target after the other, as upstream does. */
  async #write(rendered: RenderedEvent): Promise<boolean> {
    let isWritten = true
    for (const target of this.#options.targets) isWritten = (await this.#writeTo(target, rendered)) && isWritten
    return isWritten
  }

  /** Resolves with false if the request must fail. An event that is dropped as too large does not fail it. */
  async #writeTo({ sink, format, maxEventBytes = Number.POSITIVE_INFINITY }: AuditTarget, rendered: RenderedEvent): Promise<boolean> {
    const line = lineOf(format === 'legacy' ? [rendered.summary.text()] : rendered.pieces)
    const isTooLong = line.length > maxEventBytes && format === 'json' && rendered.event.showsRequest
    const fitting = isTooLong ? rendered.truncated() : line
    if (fitting.length <= maxEventBytes) return sink.process({ line: fitting, summary: rendered.summary })
    this.#lose('truncate', 'event is too large even after truncating', rendered)
    return true
  }

  /** Counts and logs an event that is dropped. The request does not fail. */
  #lose(plugin: AuditPlugin, error: string, rendered: Pick<RenderedEvent, 'summary'>): void {
    pluginFailed(this.#options, plugin, error, [rendered])
  }

  /** Writes the waiting events and closes the sinks. */
  async close(): Promise<void> {
    await Promise.all(this.#options.targets.map(({ sink }) => sink.close()))
  }
}

/** Requests that take longer are annotated with their latency, except watches. */
const SLOW_MS = 500

const millisecondsText = (milliseconds: number): string => formatDuration(BigInt(Math.round(milliseconds * 1e6)))

/** Bytes of lists that are buffered at once. */
const ROOM_BYTES = 64 * 1024 * 1024
/**
 * Maximum bytes that wait for room. Clients disconnect and retry while their first responses still wait for the log.
 */
const MOST_WAITING_BYTES = 512 * 1024 * 1024

/** Returns the bytes of bodies that are made while they are sent. */
const filledBytes = (pieces: readonly (string | AuditedBody)[]): number =>
  pieces.reduce((bytes, piece) => (typeof piece === 'string' || !isFilled(piece) ? bytes : bytes + piece.length), 0)

/** Bytes that the filter processes at once, which takes about a millisecond. */
const FILTERED_AT_ONCE = 32 * 1024

/** Buffers bodies that are made while they are read, and removes managed fields from all bodies if required. */
async function readBodies(pieces: readonly (string | AuditedBody)[], omitManagedFields: boolean): Promise<(string | AuditedBody)[]> {
  const shown: (string | AuditedBody)[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') shown.push(piece)
    else if (omitManagedFields) shown.push(await withoutManagedFields(piece))
    else shown.push(isFilled(piece) ? await wholeBody(piece) : piece)
  }
  return shown
}

/** Reads a body that can be read only once. */
async function wholeBody(body: AuditedBody): Promise<Buffer[]> {
  const parts: Buffer[] = []
  for await (const bytes of bodyBytes(body)) parts.push(bytes)
  return parts
}

/** Removes managed fields in turns, without parsing the body. */
async function withoutManagedFields(body: AuditedBody): Promise<Buffer[]> {
  const filter = new ManagedFieldsFilter()
  const parts: Buffer[] = []
  for await (const bytes of bodyBytes(body))
    for (let at = 0; at < bytes.length; at += FILTERED_AT_ONCE) {
      if (turnIsSpent()) await nextTurn()
      parts.push(filter.write(bytes.subarray(at, at + FILTERED_AT_ONCE)))
    }
  return parts
}
