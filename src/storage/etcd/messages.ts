import { runAtOnce, runInTurns, type Steps } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { BackendEvent, GuardedWrite, KeyValue, RangeQuery } from '../backend.ts'
import { type Key, key, NO_REVISION, type Revision } from '../revision.ts'
import { bigVarintSize, dataSize, messageSize, numberSize, varintSize, WireReader, WireWriter } from './wire.ts'

/**
 * The messages of etcd's API that are sent and read here, encoded by hand: a Range or Watch response costs half of what a general decoder needs.
 * Source: https://github.com/etcd-io/etcd/blob/main/api/etcdserverpb/rpc.proto
 */

const noEnd = Buffer.alloc(0)

/** RangeRequest. Without `end` it is of one key. Reads are linearizable, the default of etcd. */
export function encodeRange(query: { start: Key; end?: Key } & Pick<RangeQuery, 'limit' | 'at' | 'countOnly' | 'keysOnly'>): Buffer {
  const key = Buffer.from(query.start)
  const end = query.end === undefined ? noEnd : Buffer.from(query.end)
  const limit = query.limit ?? 0
  const at = query.at ?? 0
  const keysOnly = query.keysOnly ? 1 : 0
  const countOnly = query.countOnly ? 1 : 0
  const size = dataSize(1, key.length) + dataSize(2, end.length) + numberSize(3, limit) + numberSize(4, at) + numberSize(8, keysOnly) + numberSize(9, countOnly)
  const writer = new WireWriter(size)
  writer.data(1, key)
  writer.data(2, end)
  writer.number(3, limit)
  writer.number(4, at)
  writer.number(8, keysOnly)
  writer.number(9, countOnly)
  return writer.bytes
}

const compareMod = 2

/** If the key's mod revision is the expected one: put or delete. Else: get. `lease` 0 is none. */
export function encodeGuardedWrite(write: GuardedWrite, lease: bigint): Buffer {
  const key = Buffer.from(write.key)
  const { value } = write
  const leaseBytes = lease === 0n ? 0 : 1 + bigVarintSize(lease)
  const compare = numberSize(2, compareMod) + dataSize(3, key.length) + 1 + varintSize(write.expected)
  const request = dataSize(1, key.length) + (value ? dataSize(2, value.length) + leaseBytes : 0)
  const operation = messageSize(value ? 2 : 3, request)
  const range = dataSize(1, key.length)
  const otherwise = messageSize(1, range)
  const writer = new WireWriter(messageSize(1, compare) + messageSize(2, operation) + messageSize(3, otherwise))
  writer.open(1, compare)
  writer.number(2, compareMod)
  writer.data(3, key)
  // A member of a oneof is written even where it is zero.
  writer.varint(6 << 3)
  writer.varint(write.expected)
  writer.open(2, operation)
  writer.open(value ? 2 : 3, request)
  writer.data(1, key)
  if (value) {
    writer.data(2, value)
    if (lease !== 0n) {
      writer.varint(3 << 3)
      writer.bigVarint(lease)
    }
  }
  writer.open(3, otherwise)
  writer.open(1, range)
  writer.data(1, key)
  return writer.bytes
}

/** WatchRequest with a WatchCreateRequest; fragments are asked for, or a response above gRPC's bound would end the stream. */
export function encodeWatchCreate(watch: { start: Key; end: Key; from: Revision; previous?: boolean; progress?: boolean }): Buffer {
  const key = Buffer.from(watch.start)
  const end = Buffer.from(watch.end)
  const previous = watch.previous ? 1 : 0
  const progress = watch.progress ? 1 : 0
  const size =
    dataSize(1, key.length) + dataSize(2, end.length) + numberSize(3, watch.from) + numberSize(4, progress) + numberSize(6, previous) + numberSize(8, 1)
  const writer = new WireWriter(messageSize(1, size))
  writer.open(1, size)
  writer.data(1, key)
  writer.data(2, end)
  writer.number(3, watch.from)
  writer.number(4, progress)
  writer.number(6, previous)
  writer.number(8, 1)
  return writer.bytes
}

/** WatchRequest with an empty WatchProgressRequest. */
export const PROGRESS_REQUEST = Buffer.from([(3 << 3) | 2, 0])

/** CompactionRequest (the revision) and LeaseGrantRequest (the TTL) have one number, in field 1. */
export function encodeNumber(n: number): Buffer {
  const writer = new WireWriter(numberSize(1, n))
  writer.number(1, n)
  return writer.bytes
}

/** What a RangeResponse says. Values are views of its bytes. */
export interface RangeResponse {
  readonly revision: Revision
  readonly items: KeyValue[]
  readonly more: boolean
  readonly count: number
}

/** At once: for one key, or a few. */
export const decodeRange = (bytes: Buffer): RangeResponse => readRange(new WireReader(bytes))

/** Without holding the event loop for long, however many keys it has. `limit`: keys that were requested at most; 0 for any number. Rejects with a RangeError if there are more. */
export async function decodeLongRange(bytes: Buffer, limit = 0): Promise<RangeResponse> {
  const parts = rangeParts(new WireReader(bytes), { inParts: true, maxItems: limit === 0 ? Number.POSITIVE_INFINITY : limit })
  for (;;) {
    const step = parts.next()
    if (step.done) return step.value
    if (turnIsSpent()) await nextTurn()
  }
}

/** Reads all parts without a turn between. */
function readRange(reader: WireReader): RangeResponse {
  const parts = rangeParts(reader, { inParts: false, maxItems: Number.POSITIVE_INFINITY })
  for (;;) {
    const step = parts.next()
    if (step.done) return step.value
  }
}

/** `inParts`: yields after each part, so that the caller may leave the turn. Otherwise a message of very many fields is an error. */
function* rangeParts(reader: WireReader, { inParts, maxItems }: { inParts: boolean; maxItems: number }): Generator<void, RangeResponse, undefined> {
  let revision = NO_REVISION
  let more = false
  let count = 0
  const items: KeyValue[] = []
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = readHeader(reader.message())
    else if (field === 2) items.push(readKeyValue(reader.message()))
    else if (field === 3) more = reader.number() !== 0
    else if (field === 4) count = reader.number()
    else reader.skip()
    if (items.length > maxItems) throw new RangeError('there are more keys than were requested')
    if (inParts && reader.endsPart()) yield
  }
  return { revision, items, more, count }
}

/** What the TxnResponse of a guarded write says. */
export interface WriteResponse {
  readonly succeeded: boolean
  readonly revision: Revision
  /** The key as it is, where the comparison failed. */
  readonly current: KeyValue | undefined
  /** Whether the response is of a cluster of etcd. The headers of kine name none. */
  readonly isOfCluster: boolean
}

/** The TxnResponse of a guarded write. */
export function decodeWrite(bytes: Buffer): WriteResponse {
  const reader = new WireReader(bytes)
  let revision = NO_REVISION
  let succeeded = false
  let current: KeyValue | undefined
  let isOfCluster = false
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) {
      const header = reader.message()
      for (let part = header.next(); part !== 0; part = header.next()) {
        if (part === 3) revision = header.revision()
        else header.skip()
        // cluster_id, which is left out if it is 0.
        isOfCluster ||= part === 1
      }
    } else if (field === 2) succeeded = reader.number() !== 0
    else if (field === 3) {
      const response = reader.message()
      for (let kind = response.next(); kind !== 0; kind = response.next()) {
        if (kind === 1) current = readRange(response.message()).items[0]
        else response.skip()
      }
    } else reader.skip()
  }
  return { succeeded, revision, current, isOfCluster }
}

/** Events of a response. etcd sends the events of a thousand revisions at once, of 128 operations each, and in fragments. */
const MAX_EVENTS = 200_000

/** What a WatchResponse says: of events, of the watch's beginning, or of its end. */
export interface WatchResponse {
  readonly revision: Revision
  readonly created: boolean
  readonly canceled: boolean
  readonly compactRevision: Revision
  readonly cancelReason: string
  /** More of the same revisions follows. */
  readonly fragment: boolean
  readonly events: BackendEvent[]
}

/** Decodes a WatchResponse in one step. Throws a RangeError if the bytes are not one. */
export const decodeWatch = (bytes: Buffer): WatchResponse => runAtOnce(watchInSteps(bytes))

/** Decodes a WatchResponse in steps, so that one with many events does not hold the event loop. */
export const decodeLongWatch = (bytes: Buffer): Promise<WatchResponse> => runInTurns(watchInSteps(bytes))

function* watchInSteps(bytes: Buffer): Steps<WatchResponse> {
  const reader = new WireReader(bytes)
  let revision = NO_REVISION
  let created = false
  let canceled = false
  let compactRevision = NO_REVISION
  let cancelReason = ''
  let fragment = false
  const events: BackendEvent[] = []
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 11) {
      if (events.length === MAX_EVENTS) throw new RangeError('a response has too many events')
      events.push(readEvent(reader.message()))
    } else if (field === 1) revision = readHeader(reader.message())
    else if (field === 3) created = reader.number() !== 0
    else if (field === 4) canceled = reader.number() !== 0
    else if (field === 5) compactRevision = reader.revision()
    else if (field === 6) cancelReason = reader.text()
    else if (field === 7) fragment = reader.number() !== 0
    else reader.skip()
    if (reader.endsPart()) yield
  }
  return { revision, created, canceled, compactRevision, cancelReason, fragment, events }
}

/** What a LeaseGrantResponse says. */
export interface LeaseGrantResponse {
  /** 64 bits: beyond what a number holds. */
  readonly id: bigint
  readonly ttl: number
}

/** `ttl` may be longer than was asked for. */
export function decodeLeaseGrant(bytes: Buffer): LeaseGrantResponse {
  const reader = new WireReader(bytes)
  let id = 0n
  let ttl = 0
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) id = reader.bigNumber()
    else if (field === 3) ttl = reader.number()
    else reader.skip()
  }
  return { id, ttl }
}

/** What a StatusResponse says of the member: its version and the bytes of its database. */
export interface StatusResponse {
  readonly version: string
  readonly size: number
}

/** Throws a RangeError if the bytes are not one. */
export function decodeStatus(bytes: Buffer): StatusResponse {
  const reader = new WireReader(bytes)
  let version = ''
  let size = 0
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) version = reader.text()
    else if (field === 3) size = reader.number()
    else reader.skip()
  }
  return { version, size }
}

/** The revision of a response's header. */
function readHeader(reader: WireReader): Revision {
  let revision = NO_REVISION
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) revision = reader.revision()
    else reader.skip()
  }
  return revision
}

/** mvccpb.KeyValue. Version and lease are passed over. */
function readKeyValue(reader: WireReader): KeyValue {
  let name = ''
  let createRevision = NO_REVISION
  let modRevision = NO_REVISION
  let value: Buffer = noEnd
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.text()
    else if (field === 2) createRevision = reader.revision()
    else if (field === 3) modRevision = reader.revision()
    else if (field === 5) value = reader.view()
    else reader.skip()
  }
  return { key: key(name), value, createRevision, modRevision }
}

/** mvccpb.Event. Of a deletion the key alone is there, and the value before where it was asked for. */
function readEvent(reader: WireReader): BackendEvent {
  let deleted = false
  let now: KeyValue | undefined
  let previous: KeyValue | undefined
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) deleted = reader.number() !== 0
    else if (field === 2) now = readKeyValue(reader.message())
    else if (field === 3) previous = readKeyValue(reader.message())
    else reader.skip()
  }
  if (!now) throw new RangeError('an event without a key')
  const { key, modRevision, createRevision, value } = now
  return deleted
    ? { type: 'delete', key, modRevision, createRevision, ...(previous && { previous }) }
    : { type: 'put', key, modRevision, createRevision, value, ...(previous && { previous }) }
}
