import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { types } from '../../../src/catalog/types.ts'
import { parseJson } from '../../../src/codec/json.ts'
import { encodeProtobuf, ProtobufError, unwrap, watchFrame, wrap } from '../../../src/codec/protobuf.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { encodeMessageInSteps } from '../../../src/codec/protobuf-encode-in-steps.ts'
import { decode } from '../../../src/schema/decode.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import { decodeProtobuf, listMessage } from '../../support/at-once.ts'
import { countedSteps } from '../../support/counted-steps.ts'
import { roundtripSchema } from '../../support/roundtrip.ts'

/** Objects of k8s.io/api 0.33 (testdata/HEAD) with every field set, in JSON and in protobuf. */
const folder = new URL('../../fixtures/codec/roundtrip/', import.meta.url)
const names = readdirSync(folder)
  .filter(file => file.endsWith('.pb'))
  .map(file => file.slice(0, -3))

describe('protobuf bodies', () => {
  for (const name of names) {
    const schema = roundtripSchema(name)
    const json = parseJson(readFileSync(new URL(`${name}.json`, folder))).value as JsonObject
    const bytes = readFileSync(new URL(`${name}.pb`, folder))
    const type = { kind: String(json.kind), apiVersion: String(json.apiVersion) }
    it(`${name} encodes byte for byte`, () => expect(encodeProtobuf(schema, type, decode(schema, json)).equals(bytes)).to.equal(true))
    it(`${name} encodes in steps to the same bytes`, () => {
      const normal = decode(schema, json)
      expect(countedSteps(encodeMessageInSteps(schema, normal)).result.equals(encodeMessage(schema, normal))).to.equal(true)
    })
    it(`${name} decodes`, () => expect(decode(schema, decodeProtobuf(schema, bytes))).to.deep.equal(decode(schema, json)))
  }
})

describe('protobuf messages of wide objects', () => {
  const wide = (value: (i: number) => string | string[]): JsonObject =>
    Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${9999 - i}`, value(i)]))
  const names = Array.from({ length: 10_000 }, (_, i) => `n${i}`)
  const objects: Record<string, [type: string, object: JsonObject]> = {
    'members of a map': ['core.ConfigMap', { data: wide(String) }],
    'texts in a list': ['core.Pod', { spec: { containers: [{ name: 'c', args: names }] } }],
    'objects in a list': ['core.Pod', { spec: { containers: [{ name: 'c', env: names.map(name => ({ name, value: 'v' })) }] } }],
    'raw JSON': ['apps.ControllerRevision', { data: wide(i => `<${i}>`.padEnd(32)) }],
    'lists in a map': ['authorization.SubjectAccessReview', { spec: { extra: wide(i => [`${i}`]) } }],
  }
  for (const [what, [type, object]] of Object.entries(objects))
    it(`are encoded in steps: ${what}`, () => {
      const schema = types.type(type)
      const normal = decode(schema, object)
      const { result, yields } = countedSteps(encodeMessageInSteps(schema, normal))
      expect(result.equals(encodeMessage(schema, normal))).to.equal(true)
      expect(yields).to.be.at.least(19)
    })
})

describe('protobuf messages', () => {
  const registry = new TypeRegistry().add({
    id: 't',
    definition: 'io.example.v1',
    source: `
type Thing
  name 2 string?
  inline 1 Part
  count 3 *int32?
  big 4 int64?
  names 5 []string?
  labels 6 map[string]string?
  extra 7 map[string][]string?
  when 8 Time?
  exact 9 MicroTime?
  wait 10 *Duration?
  size 11 map[string]Quantity?
  port 12 IntOrString?
  any 13 *FieldsV1?
  ratio 14 *double?
  data 15 bytes?
  hidden - string?

type Part
  on 1 bool?
`,
  })
  const thing = registry.type('t.Thing')
  const hex = (object: JsonObject): string => Buffer.from(encodeMessage(thing, object)).toString('hex')
  /** Zero values of the non-pointer members part, name, big, when, exact and port. */
  const zero = ['0a020800', '1200', '2000', '4200', '4a00', '6206080010001a00'] as const
  const join = (...parts: string[]): string => parts.join('')

  const table: [string, JsonObject, string][] = [
    ['zero', {}, join(...zero)],
    ['pointers to zero', { count: 0, ratio: 0 }, join(zero[0], zero[1], '1800', ...zero.slice(2), '710000000000000000')],
    ['negative integers take ten bytes', { count: -1 }, join(zero[0], zero[1], '18ffffffffffffffffff01', ...zero.slice(2))],
    ['large integers', { big: 2n ** 62n }, join(zero[0], zero[1], '20808080808080808040', ...zero.slice(3))],
    [
      'map entries by key',
      { labels: { b: '1', a: '' } },
      join(zero[0], zero[1], zero[2], '32050a01611200', '32060a0162120131', ...zero.slice(3)),
    ],
    ['lists in maps', { extra: { a: ['x', 'y'] } }, join(zero[0], zero[1], zero[2], '3a0b0a016112060a01780a0179', ...zero.slice(3))],
    [
      'times',
      { when: '2020-01-01T00:00:01Z', exact: '2020-01-01T00:00:00.000002Z' },
      join(zero[0], zero[1], zero[2], '42080881c2aff0051000', '4a090880c2aff00510d00f', zero[5]),
    ],
    ['text for a number or a string', { port: 'http' }, join(...zero.slice(0, 5), '620a080110001a0468747470')],
    ['raw JSON', { any: { b: 1, a: '<' } }, join(...zero, '6a110a0f7b2262223a312c2261223a223c227d')],
    ['fields without a number are not there', { hidden: 'x' }, join(...zero)],
  ]
  for (const [name, object, want] of table) {
    it(name, () => {
      expect(hex(object)).to.equal(want)
      const { hidden: _, ...seen } = object
      expect(decode(thing, decodeMessage(thing, Buffer.from(want, 'hex')))).to.deep.equal(decode(thing, seen))
    })
  }

  it('skips unknown fields, and keeps the last of a repeated one', () => {
    expect(decode(thing, decodeMessage(thing, Buffer.from('fa0601ff' + '1201611201621805180a', 'hex')))).to.include({
      name: 'b',
      count: 10,
    })
  })

  const broken: [string, string, RegExp][] = [
    ['a cut message', '120561', /unexpected EOF/],
    ['a cut varint', '18ff', /unexpected EOF/],
    ['a wrong wire type', '1801' + '1005', /wrong wireType/],
    ['tag 0', '0001', /illegal tag 0/],
  ]
  for (const [name, text, message] of broken)
    it(name, () => expect(() => decodeMessage(thing, Buffer.from(text, 'hex'))).to.throw(ProtobufError, message))
})

describe('protobuf envelopes', () => {
  const broken: [string, Buffer, string][] = [
    ['nothing', Buffer.alloc(0), 'empty data'],
    ['JSON', Buffer.from('{}'), 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['a cut one', wrap({ apiVersion: 'v1', kind: 'ConfigMap' }, Buffer.from('1234', 'hex')).subarray(0, 12), 'unexpected EOF'],
  ]
  for (const [name, bytes, text] of broken)
    it(name, () =>
      expect(() => unwrap(bytes))
        .to.throw(ProtobufError)
        .with.property('message', text),
    )

  it('hold a type and a message', () => {
    expect(unwrap(wrap({ apiVersion: 'apps/v1', kind: 'Deployment' }, Buffer.from('0a00', 'hex')))).to.deep.include({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
    })
  })

  it('assemble lists from encoded items', () => {
    const item = encodeMessage(types.type('core.ConfigMap'), { metadata: { name: 'a' } })
    const list = listMessage(encodeMessage(types.type('meta.ListMeta'), { resourceVersion: '7' }), [item, item])
    const read = decode(types.type('core.ConfigMapList'), decodeMessage(types.type('core.ConfigMapList'), list))
    expect(read).to.deep.equal({
      metadata: { resourceVersion: '7' },
      items: [0, 1].map(() => ({ metadata: { name: 'a', creationTimestamp: null } })),
    })
  })

  it('frame watch events with their length', () => {
    const frame = watchFrame('ADDED', wrap({ apiVersion: 'v1', kind: 'ConfigMap' }, Buffer.alloc(0)))
    expect(frame.readUInt32BE(0)).to.equal(frame.length - 4)
    expect(frame.toString('latin1', 4, 11)).to.equal('\n\x05ADDED')
    expect(unwrap(frame.subarray(frame.indexOf('k8s\0')))).to.include({ kind: 'ConfigMap' })
  })
})
