import { expect } from 'chai'
import { ProtobufError } from '../../../../src/lib/protobuf-error.ts'
import type { GuardedWrite } from '../../../../src/storage/backend.ts'
import {
  decodeLeaseGrant,
  decodeLongRange,
  decodeLongWatch,
  decodeRange,
  decodeWatch,
  decodeWrite,
  encodeGuardedWrite,
  encodeNumber,
  encodeRange,
  encodeWatchCreate,
} from '../../../../src/storage/etcd/messages.ts'
import { keyAfter } from '../../../../src/storage/key-range.ts'
import type { Key, Revision } from '../../../../src/storage/revision.ts'
import { etcdMessage, readEtcdMessage } from '../../../support/etcd-messages.ts'

const key = 'key' as Key
const base64 = (text: string) => Buffer.from(text).toString('base64')
const large = 2 ** 52 + 12345
const header = { cluster_id: '14841639068965178418', member_id: '10276657743932975437', revision: String(large), raft_term: '7' }

describe("etcd's messages", () => {
  const requests: [name: string, message: string, bytes: Buffer, expected: object][] = [
    ['a get', 'RangeRequest', encodeRange({ start: key }), { key: base64('key') }],
    ['a range of one key', 'RangeRequest', encodeRange({ start: key, end: keyAfter(key), limit: 1 }), { key: base64('key'), limit: '1' }],
    [
      'a watch of one key',
      'WatchRequest',
      encodeWatchCreate({ start: key, end: keyAfter(key), from: 300 as Revision }),
      { create_request: { key: base64('key'), start_revision: '300', fragment: true } },
    ],
    [
      'a page of the past',
      'RangeRequest',
      encodeRange({ start: key, end: 'kez' as Key, limit: 500, at: large as Revision }),
      { key: base64('key'), range_end: base64('kez'), limit: '500', revision: String(large) },
    ],
    [
      'a count',
      'RangeRequest',
      encodeRange({ start: key, end: '\0' as Key, countOnly: true }),
      { key: base64('key'), range_end: 'AA==', count_only: true },
    ],
    [
      'a watch',
      'WatchRequest',
      encodeWatchCreate({ start: '\0' as Key, end: '\0' as Key, from: 300 as Revision, previous: true }),
      { create_request: { key: 'AA==', range_end: 'AA==', start_revision: '300', prev_kv: true, fragment: true } },
    ],
    ['a compaction', 'CompactionRequest', encodeNumber(128), { revision: '128' }],
    ['a lease', 'LeaseGrantRequest', encodeNumber(3660), { TTL: '3660' }],
  ]
  for (const [name, message, bytes, expected] of requests) {
    it(`encodes a range for ${name}`, () => expect(readEtcdMessage(message, bytes)).to.deep.equal(expected))
  }

  const writes: [name: string, write: Omit<GuardedWrite, 'key'>, lease: bigint, mod: string, operation: object][] = [
    ['a create', { expected: 0, value: Buffer.from('value') }, 0n, '0', { request_put: { key: base64('key'), value: base64('value') } }],
    [
      'an update with a lease',
      { expected: large as Revision, value: Buffer.alloc(200, 'v') },
      7587882113741853466n,
      String(large),
      { request_put: { key: base64('key'), value: base64('v'.repeat(200)), lease: '7587882113741853466' } },
    ],
    ['a put of nothing', { expected: 127 as Revision, value: Buffer.alloc(0) }, 0n, '127', { request_put: { key: base64('key') } }],
    ['a deletion', { expected: 128 as Revision }, 0n, '128', { request_delete_range: { key: base64('key') } }],
  ]
  for (const [name, write, lease, mod, operation] of writes) {
    it(`encodes a guard for ${name}`, () =>
      expect(readEtcdMessage('TxnRequest', encodeGuardedWrite({ key, ...write }, lease))).to.deep.equal({
        compare: [{ target: 'Mod', key: base64('key'), mod_revision: mod }],
        success: [operation],
        failure: [{ request_range: { key: base64('key') } }],
      }))
  }

  const kv = {
    key: base64('key'),
    create_revision: '3',
    mod_revision: String(large),
    version: '4',
    value: base64('value'),
    lease: '7587882113741853466',
  }
  const item = { key, value: Buffer.from('value'), createRevision: 3, modRevision: large }

  it('reads a range', () => {
    const bytes = etcdMessage('RangeResponse', { header, kvs: [kv, { ...kv, value: '' }], more: true, count: '300' })
    expect(decodeRange(bytes)).to.deep.equal({
      revision: large,
      items: [item, { ...item, value: Buffer.alloc(0) }],
      more: true,
      count: 300,
    })
  })

  it('refers to values without copying: callers that retain one copy it', () => {
    const bytes = Buffer.from(etcdMessage('RangeResponse', { header, kvs: [kv] }))
    expect(decodeRange(bytes).items[0]?.value.buffer).to.equal(bytes.buffer)
  })

  it('reads the outcome of a write', () => {
    expect(decodeWrite(etcdMessage('TxnResponse', { header, succeeded: true, responses: [{ response_put: { header } }] }))).to.deep.equal({
      succeeded: true,
      revision: large,
      current: undefined,
      isOfCluster: true,
    })
    const lost = { header, responses: [{ response_range: { header, kvs: [kv], count: 1 } }] }
    expect(decodeWrite(etcdMessage('TxnResponse', lost))).to.deep.equal({
      succeeded: false,
      revision: large,
      current: item,
      isOfCluster: true,
    })
    const ofKine = etcdMessage('TxnResponse', { header: { revision: '7' }, succeeded: true })
    expect(decodeWrite(ofKine)).to.deep.equal({ succeeded: true, revision: 7, current: undefined, isOfCluster: false })
  })

  it('reads events', () => {
    const events = [{ kv }, { kv, prev_kv: kv }, { type: 'Delete', kv: { key: kv.key, mod_revision: '9' }, prev_kv: kv }]
    const response = decodeWatch(etcdMessage('WatchResponse', { header, watch_id: '1', fragment: true, events }))
    expect(response.events).to.deep.equal([
      { type: 'put', ...item },
      { type: 'put', ...item, previous: item },
      { type: 'delete', key, modRevision: 9, createRevision: 0, previous: item },
    ])
    expect([response.fragment, response.created, response.canceled]).to.deep.equal([true, false, false])
  })

  it('reads why a watch ended', () => {
    const response = decodeWatch(etcdMessage('WatchResponse', { header, canceled: true, compact_revision: '77', cancel_reason: 'because' }))
    expect([response.canceled, response.compactRevision, response.cancelReason]).to.deep.equal([true, 77, 'because'])
  })

  it('keeps all 64 bits of a lease', () => {
    const bytes = etcdMessage('LeaseGrantResponse', { header, ID: '7587882113741853466', TTL: '60' })
    expect(decodeLeaseGrant(bytes)).to.deep.equal({ id: 7587882113741853466n, ttl: 60 })
  })

  it('fails at a number that is longer than 64 bits', () => {
    const long = Buffer.alloc(1 << 20, 0xff)
    for (const tag of [0x10, 0x18])
      expect(() => decodeLeaseGrant(Buffer.concat([Buffer.from([tag]), long])), String(tag)).to.throw(ProtobufError, 'integer overflow')
  })

  it('fails at more fields than a short response can have, and reads those of a long one in steps', async () => {
    const empty = Buffer.from('1200'.repeat(70_000), 'hex')
    expect(() => decodeRange(empty)).to.throw(RangeError, 'too many fields')
    expect(() => decodeWrite(Buffer.from('0800'.repeat(70_000), 'hex'))).to.throw(RangeError, 'too many fields')
    expect((await decodeLongRange(empty)).items).to.have.length(70_000)
    expect((await decodeLongRange(empty, 70_000)).items).to.have.length(70_000)
    const failed = await decodeLongRange(empty, 69_999).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(RangeError).with.property('message', 'there are more keys than were requested')
  })

  it('fails at a key of more than a megabyte, and at a number without an end', () => {
    const long = Buffer.alloc(2 << 20, 'k')
    const size = (n: number): Buffer => Buffer.from([(n & 127) | 128, ((n >> 7) & 127) | 128, ((n >> 14) & 127) | 128, n >> 21])
    const item = Buffer.concat([Buffer.from([0x0a]), size(long.length), long])
    expect(() => decodeRange(Buffer.concat([Buffer.from([0x12]), size(item.length), item]))).to.throw(RangeError, 'a text is too long')
    expect(() => decodeRange(Buffer.concat([Buffer.from([0x78]), Buffer.alloc(1 << 20, 0xff)]))).to.throw(ProtobufError, 'integer overflow')
  })

  it('reads very many events in steps', async () => {
    const bytes = etcdMessage('WatchResponse', { header, watch_id: '1', events: Array(2000).fill({ kv }) })
    expect(await decodeLongWatch(bytes)).to.deep.equal(decodeWatch(bytes))
  })

  it('fails at a number that is cut off', () => {
    // Fields 2 (the id), 3 (the time to live) and an unknown number.
    for (const tag of [0x10, 0x18, 0x38])
      expect(() => decodeLeaseGrant(Buffer.from([tag, 0x80])), String(tag)).to.throw(ProtobufError, 'unexpected EOF')
  })
})
