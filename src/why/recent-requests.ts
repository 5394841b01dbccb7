import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestInfo, User } from '../meta/context.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import { redactedUri } from './redaction.ts'
import { RequestRecord, roundMilliseconds } from './request-record.ts'
import type { RecentRequest, Why } from './types.ts'

/** Maximum bytes of all records. */
const MOST_BYTES = 16 * 1024 * 1024
/** Memory of a record besides its bytes. */
const BESIDE = 400
/** Characters of any other text that are recorded. */
const LONGEST_TEXT = 1024
/** Characters of a URI that are recorded. */
const LONGEST_URI = 4096

/** Paths that are not recorded: frequent requests with little to explain, and requests for records. */
const UNKEPT = /^\/(?:healthz|livez|readyz|binnacle\/v1\/why)(?:\/|$)/

/** A request of the server. */
export interface FollowedRequest {
  /** Set to the record when recording begins. */
  why: RequestRecord | undefined
  readonly auditId: string
  readonly method: string
  readonly path: string
  readonly uri: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly userAgent: string
  readonly remoteAddress: string
  readonly isHttp2: boolean
  /** Whether `info` has been set. False if the request was rejected before. */
  readonly isParsed: boolean
  readonly longRunning: boolean
  readonly info: RequestInfo
  readonly user: User
  /** Status code; 0 before the response begins. */
  readonly status: number
  /** Bytes of the request's body. */
  readonly received: number
  /** Bytes of the response's body before compression. */
  readonly sent: number
  /** Returns the milliseconds since the request was received. */
  elapsed(): number
}

/** Selects records of the list. */
export interface Selection {
  /** Maximum number of records. */
  readonly limit: number
  /** Optional. Exact name of the user. */
  readonly user?: string | undefined
  /** Whether only requests are selected that got 400 or more, or no response. */
  readonly failed?: boolean
}

/** A record as it is kept: encoded, so that it holds no object of the request. */
interface StoredRecord {
  readonly auditId: string
  /** JSON of a Why. */
  readonly whole: Buffer
  /** Offset at which the members of the RecentRequest end. They begin behind its type. */
  readonly summaryEnd: number
  readonly user: string
  /** Whether the response has a code of 400 or more, or the request ended without one. */
  readonly failed: boolean
  /** Estimated memory in bytes, which counts against MOST_BYTES. */
  readonly size: number
}

/** Records of the latest requests of a server, in memory. Both their number and their bytes are bounded. */
export class RecentRequests {
  /** Maximum number of records. */
  readonly most: number
  /** Authorization modes, in order. */
  readonly modes: readonly string[]
  /** Name of this process. Undefined if it is the only one. */
  readonly process: string | undefined
  readonly #running = new AsyncLocalStorage<RequestRecord>()
  readonly #kept = new Map<number, StoredRecord>()
  readonly #byAuditId = new Map<string, number>()
  #bytes = 0
  #next = 0

  constructor(most: number, modes: readonly string[], process?: string) {
    this.most = most
    this.modes = modes
    this.process = process
  }

  get count(): number {
    return this.#kept.size
  }

  /** Returns the record of the request that the current asynchronous context belongs to. */
  readonly notes = (): RequestNotes | undefined => this.#running.getStore()

  /** Records a request while `serve` serves it. A streaming request is listed as soon as its response begins. */
  async follow(request: FollowedRequest, serve: () => Promise<void>): Promise<void> {
    if (UNKEPT.test(request.path)) return serve()
    let place: number | undefined
    const keep = (isOver: boolean): void => {
      place = this.#keep(recordOf(request, record, isOver), place)
    }
    const record = new RequestRecord(
      () => (request.isParsed ? request.info : undefined),
      () => keep(false),
    )
    request.why = record
    try {
      await this.#running.run(record, serve)
    } finally {
      keep(true)
      record.end()
    }
  }

  /** Returns the JSON of the selected records, latest first. */
  list({ limit, user, failed = false }: Selection): string[] {
    const found: string[] = []
    for (const kept of [...this.#kept.values()].reverse()) {
      if (found.length >= limit) break
      if ((user === undefined || kept.user === user) && (!failed || kept.failed))
        found.push(`{${kept.whole.toString('utf8', TYPE.length, kept.summaryEnd)}}`)
    }
    return found
  }

  /** Returns the latest record with this audit ID. Undefined if there is none. */
  find(auditId: string): Why | undefined {
    const place = this.#byAuditId.get(auditId)
    const kept = place === undefined ? undefined : this.#kept.get(place)
    if (kept === undefined) return undefined
    const why: Why = JSON.parse(kept.whole.toString())
    return why
  }

  /**
   * Stores a record in place of an earlier one of the same request, or as the latest. Drops the oldest ones beyond the
   * limits.
   */
  #keep(kept: StoredRecord, before: number | undefined): number {
    const place = before !== undefined && this.#kept.has(before) ? before : this.#next++
    this.#drop(place)
    this.#kept.set(place, kept)
    this.#byAuditId.set(kept.auditId, place)
    this.#bytes += kept.size
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.most && this.#bytes <= MOST_BYTES) break
      this.#drop(oldest)
    }
    return place
  }

  /** Drops a record. Its audit ID is forgotten unless a later request has the same one. */
  #drop(place: number): void {
    const kept = this.#kept.get(place)
    if (kept === undefined) return
    this.#kept.delete(place)
    this.#bytes -= kept.size
    if (this.#byAuditId.get(kept.auditId) === place) this.#byAuditId.delete(kept.auditId)
  }
}

/** Beginning of the JSON of every record. Members of the summary follow it. */
const TYPE = '{"kind":"Why","apiVersion":"binnacle.dev/v1",'

const shortenText = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text)

/**
 * Encodes the record of a request. The members of the summary come first, so that a list can copy them without parsing.
 */
function recordOf(request: FollowedRequest, record: RequestRecord, isOver: boolean): StoredRecord {
  const { status } = request
  const summary: RecentRequest = {
    auditID: shortenText(request.auditId),
    time: new Date(request.receivedAt).toISOString(),
    user: shortenText(request.user.name),
    userAgent: shortenText(request.userAgent),
    verb: request.isParsed ? shortenText(request.info.verb) : request.method.toLowerCase(),
    method: shortenText(request.method),
    uri: shortenText(redactedUri(request.uri.slice(0, LONGEST_URI))),
    ...(status !== 0 && { status }),
    ...(record.status?.reason !== undefined && { reason: record.status.reason }),
    ...(isOver && { milliseconds: roundMilliseconds(request.elapsed()) }),
    bytes: request.sent,
  }
  const rest: Omit<Why, 'kind' | 'apiVersion' | 'steps' | keyof RecentRequest> = {
    request: requestPart(request),
    omittedSteps: record.omitted,
    answer: record.answer,
  }
  const head = TYPE + JSON.stringify(summary).slice(1, -1)
  const whole = Buffer.from(`${head},${JSON.stringify(rest).slice(1, -1)},"steps":[${record.steps.join()}]}`)
  const { auditID: auditId, user } = summary
  const failed = status === 0 ? isOver : status >= 400
  return { auditId, whole, summaryEnd: Buffer.byteLength(head), user, failed, size: whole.length + 2 * auditId.length + BESIDE }
}

/** Returns the request's part of a record. Texts are truncated, and unknown query parameters redacted. */
function requestPart({ isParsed, info, path, remoteAddress, isHttp2, received }: FollowedRequest): Why['request'] {
  const { isResource, group, version, resource, subresource, namespace, name } = isParsed ? info : NOTHING
  return {
    isResource,
    group: shortenText(group),
    version: shortenText(version),
    resource: shortenText(resource),
    subresource: shortenText(subresource),
    namespace: shortenText(namespace),
    name: shortenText(name),
    path: shortenText(redactedUri(path.slice(0, LONGEST_URI))),
    from: remoteAddress,
    protocol: isHttp2 ? 'HTTP/2' : 'HTTP/1.1',
    bytes: Math.max(0, received),
  }
}

/** Attributes of a request that was rejected before it was parsed. */
const NOTHING = { isResource: false, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
