import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestInfo, User } from '../meta/context.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import { redactedUri } from './redaction.ts'
import { milliseconds, RequestRecord } from './request-record.ts'
import type { RecentRequest, Why } from './types.ts'

/** Of all that is kept. */
const MOST_BYTES = 16 * 1024 * 1024
/** What stands beside the bytes of a request. */
const BESIDE = 400
const LONGEST_TEXT = 1024
/** That is looked at. */
const LONGEST_URI = 4096

/** What is asked so often, and so little to be explained, that it would displace all else; and the questions themselves. */
const UNKEPT = /^\/(?:healthz|livez|readyz|binnacle\/v1\/why)(?:\/|$)/

/** A request as the server has it. */
export interface FollowedRequest {
  why: RequestRecord | undefined
  readonly auditId: string
  readonly method: string
  readonly path: string
  readonly uri: string
  readonly receivedAt: number
  readonly userAgent: string
  readonly remoteAddress: string
  readonly isHttp2: boolean
  readonly isParsed: boolean
  readonly longRunning: boolean
  readonly info: RequestInfo
  readonly user: User
  /** 0 before it is answered. */
  readonly status: number
  readonly received: number
  readonly sent: number
  elapsed(): number
}

/** Which of those that are kept. */
export interface Selection {
  readonly limit: number
  readonly user?: string | undefined
  /** Only what was answered with 400 or more, or not at all. */
  readonly failed?: boolean
}

interface Kept {
  readonly auditId: string
  /** JSON of a Why. */
  readonly whole: Buffer
  /** Where in it the members of the RecentRequest end, which begin behind its type. */
  readonly summaryEnd: number
  readonly user: string
  readonly failed: boolean
  readonly size: number
}

/** The last requests of one server with what was found out about each, in memory: so many, of so many bytes together. */
export class RecentRequests {
  /** How many are kept at most. */
  readonly most: number
  /** The modes of authorization, in their order. */
  readonly modes: readonly string[]
  /** The process of several that this is; undefined: it is the only one. */
  readonly process: string | undefined
  private readonly running = new AsyncLocalStorage<RequestRecord>()
  private readonly kept = new Map<number, Kept>()
  private readonly byAuditId = new Map<string, number>()
  private bytes = 0
  private next = 0

  constructor(most: number, modes: readonly string[], process?: string) {
    this.most = most
    this.modes = modes
    this.process = process
  }

  get count(): number {
    return this.kept.size
  }

  /** Of the request that the running work is done for. */
  readonly notes = (): RequestNotes | undefined => this.running.getStore()

  /** Takes down what happens to a request while `serve` serves it. One that streams is kept from the beginning of its answer on. */
  async follow(request: FollowedRequest, serve: () => Promise<void>): Promise<void> {
    if (UNKEPT.test(request.path)) return serve()
    let place: number | undefined
    const keep = (isOver: boolean): void => {
      place = this.keep(keptOf(request, record, isOver), place)
    }
    const record = new RequestRecord(
      () => (request.isParsed ? request.info : undefined),
      () => keep(false),
    )
    request.why = record
    try {
      await this.running.run(record, serve)
    } finally {
      keep(true)
      record.end()
    }
  }

  /** JSON of the selected ones, newest first. */
  list({ limit, user, failed = false }: Selection): string[] {
    const found: string[] = []
    for (const kept of [...this.kept.values()].reverse()) {
      if (found.length >= limit) break
      if ((user === undefined || kept.user === user) && (!failed || kept.failed)) found.push(`{${kept.whole.toString('utf8', TYPE.length, kept.summaryEnd)}}`)
    }
    return found
  }

  /** All that is known of the last request with this id; undefined where it is not kept. */
  find(auditId: string): Why | undefined {
    const place = this.byAuditId.get(auditId)
    const kept = place === undefined ? undefined : this.kept.get(place)
    if (kept === undefined) return undefined
    const why: Why = JSON.parse(kept.whole.toString())
    return why
  }

  /** Puts a request at its place, or behind all others. */
  private keep(kept: Kept, before: number | undefined): number {
    const place = before !== undefined && this.kept.has(before) ? before : this.next++
    this.drop(place)
    this.kept.set(place, kept)
    this.byAuditId.set(kept.auditId, place)
    this.bytes += kept.size
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most && this.bytes <= MOST_BYTES) break
      this.drop(oldest)
    }
    return place
  }

  private drop(place: number): void {
    const kept = this.kept.get(place)
    if (kept === undefined) return
    this.kept.delete(place)
    this.bytes -= kept.size
    if (this.byAuditId.get(kept.auditId) === place) this.byAuditId.delete(kept.auditId)
  }
}

const TYPE = '{"kind":"Why","apiVersion":"binnacle.dev/v1",'

const cut = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text)

function keptOf(request: FollowedRequest, record: RequestRecord, isOver: boolean): Kept {
  const { status } = request
  const summary: RecentRequest = {
    auditID: cut(request.auditId),
    time: new Date(request.receivedAt).toISOString(),
    user: cut(request.user.name),
    userAgent: cut(request.userAgent),
    verb: request.isParsed ? cut(request.info.verb) : request.method.toLowerCase(),
    method: cut(request.method),
    uri: cut(redactedUri(request.uri.slice(0, LONGEST_URI))),
    ...(status !== 0 && { status }),
    ...(record.status?.reason !== undefined && { reason: record.status.reason }),
    ...(isOver && { milliseconds: milliseconds(request.elapsed()) }),
    bytes: request.sent,
  }
  const rest: Omit<Why, 'kind' | 'apiVersion' | 'steps' | keyof RecentRequest> = {
    request: askedOf(request),
    omittedSteps: record.omitted,
    answer: record.answer,
  }
  const head = TYPE + JSON.stringify(summary).slice(1, -1)
  const whole = Buffer.from(`${head},${JSON.stringify(rest).slice(1, -1)},"steps":[${record.steps.join()}]}`)
  const { auditID: auditId, user } = summary
  const failed = status === 0 ? isOver : status >= 400
  return { auditId, whole, summaryEnd: Buffer.byteLength(head), user, failed, size: whole.length + 2 * auditId.length + BESIDE }
}

function askedOf({ isParsed, info, path, remoteAddress, isHttp2, received }: FollowedRequest): Why['request'] {
  const { isResource, group, version, resource, subresource, namespace, name } = isParsed ? info : NOTHING
  return {
    isResource,
    group: cut(group),
    version: cut(version),
    resource: cut(resource),
    subresource: cut(subresource),
    namespace: cut(namespace),
    name: cut(name),
    path: cut(redactedUri(path.slice(0, LONGEST_URI))),
    from: remoteAddress,
    protocol: isHttp2 ? 'HTTP/2' : 'HTTP/1.1',
    bytes: Math.max(0, received),
  }
}

const NOTHING = { isResource: false, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
