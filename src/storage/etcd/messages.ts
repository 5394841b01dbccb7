import protobuf from 'protobufjs/minimal.js'
import { finished, writeBytes, writeInteger, writeMessage, writeNumber } from '../../lib/protobuf-writing.ts'
import { runAtOnce, runInTurns, type Steps } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { BackendEvent, GuardedWrite, KeyValue, RangeQuery } from '../backend.ts'
import { keyAfter } from '../key-range.ts'
import { type Key, key, NO_REVISION, type Revision } from '../revision.ts'
import { WireReader } from './wire.ts'

/**
 * Encoders and decoders of the messages of etcd's API that are used here. Decoders are written by hand: a Range or
 * Watch response costs a third of what a Reader of protobufjs needs. Source:
 * https://github.com/etcd-io/etcd/blob/main/api/etcdserverpb/rpc.proto
 */

const noEnd = Buffer.alloc(0)

/**
 * Encodes the end of a range. A range of one key has none, as in kube-apiserver: kine on MySQL compares a key that ends
 * in `\0` as if it came before the key without it.
 */
function rangeEnd(start: Key, end: Key | undefined): Buffer {
  return end === undefined || end === keyAfter(start) ? noEnd : Buffer.from(end)
}

/** Encodes a RangeRequest. Without `end` it reads one key. Reads are linearizable, which is etcd's default. */
export function encodeRange(query: { start: Key; end?: Key } & Pick<RangeQuery, 'limit' | 'at' | 'countOnly' | 'keysOnly'>): Buffer {
  const writer = protobuf.Writer.create()
  writeBytes(writer, 1, Buffer.from(query.start))
  writeBytes(writer, 2, rangeEnd(query.start, query.end))
  writeNumber(writer, 3, query.limit ?? 0)
  writeNumber(writer, 4, query.at ?? 0)
  writeNumber(writer, 8, query.keysOnly ? 1 : 0)
  writeNumber(writer, 9, query.countOnly ? 1 : 0)
  return finished(writer)
}

const COMPARE_MOD = 2

/**
 * Encodes a TxnRequest: if the key's mod revision is the expected one, put or delete it, otherwise get it. `lease` 0 is
 * none.
 */
export function encodeGuardedWrite({ key: name, value, expected }: GuardedWrite, lease: bigint): Buffer {
  const key = Buffer.from(name)
  const writer = protobuf.Writer.create()
  writeMessage(writer, 1, compare => {
    writeNumber(compare, 2, COMPARE_MOD)
    writeBytes(compare, 3, key)
    // A member of a oneof is encoded even if it is zero.
    writeInteger(compare.uint32(6 << 3), expected)
  })
  writeMessage(writer, 2, operation =>
    writeMessage(operation, value ? 2 : 3, request => {
      writeBytes(request, 1, key)
      if (value === undefined) return
      writeBytes(request, 2, value)
      writeNumber(request, 3, lease)
    }),
  )
  writeMessage(writer, 3, otherwise => writeMessage(otherwise, 1, range => writeBytes(range, 1, key)))
  return finished(writer)
}

/**
 * Encodes a WatchRequest with a WatchCreateRequest. It enables fragments: without them a response above gRPC's size
 * limit would end the stream.
 */
export function encodeWatchCreate(watch: { start: Key; end: Key; from: Revision; previous?: boolean; progress?: boolean }): Buffer {
  const writer = protobuf.Writer.create()
  writeMessage(writer, 1, create => {
    writeBytes(create, 1, Buffer.from(watch.start))
    writeBytes(create, 2, rangeEnd(watch.start, watch.end))
    writeNumber(create, 3, watch.from)
    writeNumber(create, 4, watch.progress ? 1 : 0)
    writeNumber(create, 6, watch.previous ? 1 : 0)
    writeNumber(create, 8, 1)
  })
  return finished(writer)
}

/** An encoded WatchRequest with an empty WatchProgressRequest. */
export const PROGRESS_REQUEST = Buffer.from([(3 << 3) | 2, 0])

/**
 * Encodes a CompactionRequest (the revision) or a LeaseGrantRequest (the TTL in seconds): both have one number, in
 * field 1.
 */
export function encodeNumber(n: number): Buffer {
  const writer = protobuf.Writer.create()
  writeNumber(writer, 1, n)
  return finished(writer)
}

/** Decoded RangeResponse. Values are views of the response's bytes. */
export interface RangeResponse {
  readonly revision: Revision
  readonly items: KeyValue[]
  readonly more: boolean
  readonly count: number
}

/** Decodes a RangeResponse in one step. For one key, or a few. */
export const decodeRange = (bytes: Buffer): RangeResponse => readRange(new WireReader(bytes))

/**
 * Decodes a RangeResponse in turns, however many keys it has. `limit` is the number of keys that were requested, 0 for
 * any. Rejects with a RangeError if there are more.
 */
export function decodeLongRange(bytes: Buffer, limit = 0): Promise<RangeResponse> {
  return inTurns(rangeParts(new WireReader(bytes), { inParts: true, maxItems: limit === 0 ? Number.POSITIVE_INFINITY : limit }))
}

/** Decodes a RangeStreamResponse in turns: a part of a RangeResponse. Its revision is 0 unless it is the last part. */
export async function decodeLongRangePart(bytes: Buffer): Promise<RangeResponse> {
  const reader = new WireReader(bytes)
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 1) reader.skip()
    else return inTurns(rangeParts(reader.message(), { inParts: true, maxItems: Number.POSITIVE_INFINITY }))
  }
  return { revision: NO_REVISION, items: [], more: false, count: 0 }
}

async function inTurns(parts: ReturnType<typeof rangeParts>): Promise<RangeResponse> {
  for (;;) {
    const step = parts.next()
    if (step.done) return step.value
    if (turnIsSpent()) await nextTurn()
  }
}

/** Decodes a range response in one step. */
function readRange(reader: WireReader): RangeResponse {
  const parts = rangeParts(reader, { inParts: false, maxItems: Number.POSITIVE_INFINITY })
  for (;;) {
    const step = parts.next()
    if (step.done) return step.value
  }
}

/**
 * `inParts`: yields after each part, so that the caller can end its turn. Otherwise a message with too many fields is
 * an error.
 */
function* rangeParts(
  reader: WireReader,
  { inParts, maxItems }: { inParts: boolean; maxItems: number },
): Generator<void, RangeResponse, undefined> {
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

/** Decoded TxnResponse of a guarded write. */
export interface WriteResponse {
  readonly succeeded: boolean
  readonly revision: Revision
  /** Present state of the key, if the comparison failed. */
  readonly current: KeyValue | undefined
  /** Whether the response names a cluster, as etcd's do. Headers of kine have no cluster id. */
  readonly isOfCluster: boolean
}

/** Decodes the TxnResponse of a guarded write. */
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
        // cluster_id, which is omitted if it is 0.
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

/**
 * Limit on the events of one response. etcd batches up to a thousand revisions, with 128 operations each, and sends
 * large batches in fragments.
 */
const MAX_EVENTS = 200_000

/** Decoded WatchResponse: events, the creation of the watch, its end, or progress. */
export interface WatchResponse {
  readonly revision: Revision
  readonly created: boolean
  readonly canceled: boolean
  readonly compactRevision: Revision
  readonly cancelReason: string
  /** Whether the next response continues these revisions. */
  readonly fragment: boolean
  readonly events: BackendEvent[]
}

/** Decodes a WatchResponse in one step. Throws a ProtobufError or RangeError if the bytes are not one. */
export const decodeWatch = (bytes: Buffer): WatchResponse => runAtOnce(watchInSteps(bytes))

/**
 * Decodes a WatchResponse in turns, so that one with many events does not block the event loop. Rejects with the errors
 * of `decodeWatch`.
 */
export const decodeLongWatch = (bytes: Buffer): Promise<WatchResponse> => runInTurns(watchInSteps(bytes))

/** A step ends after some bytes, not after some events: one event can be as long as a thousand others. */
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

/** Decoded LeaseGrantResponse. */
export interface LeaseGrantResponse {
  /** 64 bits, more than a number can hold exactly. */
  readonly id: bigint
  readonly ttl: number
}

/** Decodes a LeaseGrantResponse. `ttl` may be longer than the requested one. */
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

/** Decoded StatusResponse of a member: its version, and the size of its database in bytes. */
export interface StatusResponse {
  readonly version: string
  readonly size: number
}

/** Decodes a StatusResponse. Throws a ProtobufError or RangeError if the bytes are not one. */
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

/** Reads the revision of a response header. */
export function readHeader(reader: WireReader): Revision {
  let revision = NO_REVISION
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) revision = reader.revision()
    else reader.skip()
  }
  return revision
}

/** Reads a mvccpb.KeyValue. Version and lease are skipped. */
export function readKeyValue(reader: WireReader): KeyValue {
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

/** Reads a mvccpb.Event. A deletion has only the key, and the previous value if the watch requested it. */
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
