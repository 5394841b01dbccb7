import { expect } from 'chai'
import { CBOR_TYPE, JSON_TYPE, PROTOBUF_TYPE } from '../../../../src/codec/accept-header.ts'
import { parseCbor } from '../../../../src/codec/cbor.ts'
import { unwrap } from '../../../../src/codec/protobuf.ts'
import { CUSTOM } from '../../../../src/endpoints/dialect/custom.ts'
import { cborCodec } from '../../../../src/endpoints/forms/binary/cbor.ts'
import { formOf, type Output } from '../../../../src/endpoints/forms/form-of.ts'
import { expiredError } from '../../../../src/meta/status.ts'
import type { StoredObject } from '../../../../src/storage/storage.ts'
import { FakeExchange, scopeOf } from '../../../support/exchange.ts'
import { NEVER, TestRegistry } from '../../../support/test-registry.ts'

const output = (kind?: string, mediaType = JSON_TYPE): Output => ({
  mediaType,
  pretty: false,
  ...(kind !== undefined && { as: { kind, group: 'meta.k8s.io', version: 'v1' } }),
})
const blueprint = (kind: string, apiVersion: string) =>
  Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{},"items":null}\n`).toString('base64')

describe('frames of a watch', () => {
  const t = new TestRegistry()
  let stored: StoredObject
  before(async () => {
    await t.create({ name: 'a' }, { spec: { color: '<' } })
    await t.update('a', now => void Object.assign(now.metadata, { managedFields: [] }))
    stored = await t.store.get(t.served(), 'ns', 'a', '', NEVER)
  })
  const framing = (...args: Parameters<typeof output>) => formOf(output(...args)).framing(scopeOf(t, new FakeExchange('/x'), 'watch'))

  const META = '{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"3","creationTimestamp":"2026-01-02T03:04:05Z"}'
  const OBJECT = `{"kind":"Widget","apiVersion":"example.io/v1","metadata":${META},"spec":{"size":1,"color":"\\u003c"},"status":{}}`
  const PARTIAL = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${META}}`
  const ERROR =
    '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone \\u003c","reason":"Expired","code":410}}\n'

  it('encode objects', () => {
    const { contentType, object, error, bookmark } = framing()
    expect(contentType).to.equal('application/json')
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'])
      expect(object(type, stored)?.toString()).to.equal(`{"type":"${type}","object":${OBJECT}}\n`)
    expect(error(expiredError('gone <')).toString()).to.equal(ERROR)
    expect(bookmark('9', false).toString()).to.equal(
      '{"type":"BOOKMARK","object":{"kind":"Widget","apiVersion":"example.io/v1","metadata":{"resourceVersion":"9","creationTimestamp":null},"spec":{},"status":{}}}\n',
    )
    expect(bookmark('9', true).toString()).to.include(
      `"annotations":{"k8s.io/initial-events-end":"true","kubernetes.io/initial-events-list-blueprint":"${blueprint('Widget', 'example.io/v1')}"}`,
    )
  })

  it('encode metadata', () => {
    const { object, bookmark, error } = framing('PartialObjectMetadata')
    expect(object('ADDED', stored)?.toString()).to.equal(`{"type":"ADDED","object":${PARTIAL}}\n`)
    expect(bookmark('9', false).toString()).to.equal(
      '{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","creationTimestamp":null}}}\n',
    )
    expect(bookmark('9', true).toString()).to.include(blueprint('PartialObjectMetadata', 'meta.k8s.io/v1'))
    expect(error(expiredError('gone <')).toString()).to.equal(ERROR)
  })

  it('do not exist for metadata in a list with a single object', () => {
    expect(framing('PartialObjectMetadataList').object('ADDED', stored)).to.equal(undefined)
  })

  it('contain the columns of a Table once in each watch', () => {
    for (const { object, bookmark, id } of [framing('Table'), framing('Table')]) {
      expect(id).to.equal(undefined)
      const [first, second] = [object('ADDED', stored), object('MODIFIED', stored)].map(frame => JSON.parse(frame?.toString() ?? 'null'))
      expect(first.object.columnDefinitions).to.have.length(2)
      expect(second.object.columnDefinitions).to.equal(null)
      expect(second.object.rows[0].object).to.deep.equal(JSON.parse(PARTIAL))
      const mark = JSON.parse(bookmark('9', true).toString())
      expect([mark.type, mark.object.metadata.resourceVersion, mark.object.columnDefinitions]).to.deep.equal(['BOOKMARK', '9', null])
      expect(mark.object.rows[0].object.metadata.annotations).to.deep.equal({ 'k8s.io/initial-events-end': 'true' })
    }
  })

  it('in protobuf are length-delimited events', () => {
    for (const [kind, inner] of [
      [undefined, 'Widget'],
      ['PartialObjectMetadata', 'PartialObjectMetadata'],
    ] as const) {
      const { contentType, object, bookmark, error } = framing(kind, PROTOBUF_TYPE)
      expect(contentType).to.equal(`${PROTOBUF_TYPE};stream=watch`)
      const frames: [Buffer, string, string][] = [
        [object('ADDED', stored)!, 'ADDED', inner],
        [bookmark('9', true), 'BOOKMARK', inner],
        [error(expiredError('gone')), 'ERROR', 'Status'],
      ]
      for (const [frame, type, shown] of frames) {
        expect(frame.readUInt32BE(0)).to.equal(frame.length - 4)
        const message = frame.subarray(4)
        expect(message.subarray(2, 2 + type.length).toString()).to.equal(type)
        expect(unwrap(message.subarray(message.indexOf('k8s\0'))).kind).to.equal(shown)
      }
    }
  })

  it('in CBOR are a sequence of items, each an event with its object', () => {
    for (const kind of [undefined, 'PartialObjectMetadata']) {
      const { contentType, object, bookmark, error } = framing(kind, CBOR_TYPE)
      const json = framing(kind)
      expect(contentType).to.equal('application/cbor-seq')
      const read = (frame: Buffer | undefined) => parseCbor(frame!).value
      const text = (frame: Buffer | undefined) => JSON.parse(frame!.toString())
      expect(read(object('ADDED', stored))).to.deep.equal(text(json.object('ADDED', stored)))
      expect(read(bookmark('9', false))).to.deep.equal(text(json.bookmark('9', false)))
      expect(read(error(expiredError('gone')))).to.deep.equal(text(json.error(expiredError('gone'))))
      expect(object('ADDED', stored)!.toString('hex')).to.match(/^d9d9f7a2447479706545414444454446.*?d9d9f7/)
    }
  })

  it('end the initial events with an empty list in the form of the watch', () => {
    const blueprintOf = (frame: Buffer, marker: string): Buffer => {
      const text = frame.toString('latin1')
      const at = text.indexOf(marker, text.indexOf('initial-events-list-blueprint'))
      return Buffer.from(/^[A-Za-z0-9+/=]+/.exec(text.slice(at))?.[0] ?? '', 'base64')
    }
    // Annotations of apiserver 0.33.9, except the kind.
    expect(blueprintOf(framing(undefined, CBOR_TYPE).bookmark('9', true), '2dn3').toString('latin1')).to.match(
      /^\xd9\xd9\xf7\xa4DkindJWidgetListEitems\xf6Hmetadata\xa0/,
    )
    const list = unwrap(blueprintOf(framing(undefined, PROTOBUF_TYPE).bookmark('9', true), 'azhz'))
    expect([list.kind, list.apiVersion, Buffer.from(list.message).toString('hex')]).to.deep.equal([
      'WidgetList',
      'example.io/v1',
      '0a060a0012001a00',
    ])
  })

  it('end those of a custom kind with an empty list without metadata', () => {
    const { version } = t.served()
    const [, text = ''] =
      /"kubernetes\.io\/initial-events-list-blueprint":"([^"]*)"/.exec(CUSTOM.bookmark(version, '9', true, undefined)) ?? []
    expect(Buffer.from(text, 'base64').toString()).to.equal('{"apiVersion":"example.io/v1","items":[],"kind":"WidgetList"}\n')
    expect(parseCbor(cborCodec.blueprint({ kind: 'WidgetList', apiVersion: 'example.io/v1' }, true)).value).to.deep.equal(
      JSON.parse(Buffer.from(text, 'base64').toString()),
    )
  })

  it('are only shared if they are equal', () => {
    const ids = [
      framing(),
      framing('PartialObjectMetadata'),
      framing(undefined, PROTOBUF_TYPE),
      framing('PartialObjectMetadata', PROTOBUF_TYPE),
    ].map(({ id }) => id)
    expect(new Set(ids).size).to.equal(4)
    expect(ids).to.not.include(undefined)
  })
})
