import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { types } from '../../../src/catalog/types.ts'
import { encodeProtobuf, unwrap, watchFrame } from '../../../src/codec/protobuf.ts'
import { decodeMessage, decodeMessageInSteps } from '../../../src/codec/protobuf-decode.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { ProtobufError } from '../../../src/lib/protobuf-error.ts'
import { builtinResources } from '../../../src/resources/builtin.ts'
import { decode } from '../../../src/schema/decode.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import { listMessage } from '../../support/at-once.ts'
import { featuresOf } from '../../support/hook-context.ts'

const registry = new TypeRegistry().add({
  id: 't',
  definition: 'io.example.v1',
  source: `
type Tree
  name 1 string?
  child 2 *Tree?
  more 3 []Tree?

type All
  text 1 string?
  small 2 int32?
  big 3 int64?
  on 4 bool?
  ratio 5 double?
  data 6 bytes?
  time 7 Time?
  size 8 Quantity?
  port 9 IntOrString?
  tree 10 Tree?
  list 11 []string?
  map 12 map[string]string?
  counts 13 map[string]int64?
  trees 14 map[string]Tree?
  any 15 *FieldsV1?
  micro 16 MicroTime?
  wait 17 Duration?
`,
})
const tree = registry.type('t.Tree')
const all = registry.type('t.All')
const read = (hex: string, schema = all): JsonObject => decodeMessage(schema, Buffer.from(hex, 'hex'))

describe('protobuf members', () => {
  const table: [string, hex: string, expected: JsonObject][] = [
    ['a negative int32 in ten bytes', '10ffffffffffffffffff01', { small: -1 }],
    ['the largest int64', '18ffffffffffffffff7f', { big: 9223372036854775807n }],
    ['the smallest int64', '1880808080808080808001', { big: -9223372036854775808n }],
    ['an int64 that a number holds', '1880808080808004', { big: 2 ** 44 }],
    ['a boolean', '2001', { on: true }],
    ['a double', '29000000000000f83f', { ratio: 1.5 }],
    ['bytes', '3203010203', { data: 'AQID' }],
    ['an empty time', '3a00', { time: null }],
    ['a time before 1970', '3a0d08ffffffffffffffffff011000', { time: '1969-12-31T23:59:59Z' }],
    ['a micro time', '8201050801' + '10e807', { micro: '1970-01-01T00:00:01.000001Z' }],
    ['a duration', '8a01060880a8d6b907', { wait: '2s' }],
    ['an empty quantity', '4200', { size: '0' }],
    ['a number for a number or a string', '4a06080010501a00', { port: 80 }],
    ['a negative one', '4a0d080010ffffffffffffffffff01', { port: -1 }],
    ['text for one', '4a0908011000' + '1a03616263', { port: 'abc' }],
    ['a list, in parts', '5a0161' + '2001' + '5a0162', { list: ['a', 'b'], on: true }],
    ['a map', '62060a0161120178' + '62060a0162120179', { map: { a: 'x', b: 'y' } }],
    ['a map’s value before its key', '6206120178' + '0a0161', { map: { a: 'x' } }],
    ['a map entry without a value', '62030a0161' + '6a030a0161' + '72030a0161', { map: { a: '' }, counts: { a: 0 }, trees: { a: {} } }],
    ['a map entry without a key', '6203120178', { map: { '': 'x' } }],
    ['the last of two entries', '62060a0161120178' + '62060a0161120179', { map: { a: 'y' } }],
    ['a message in two parts', '52030a0161' + '52041202' + '0a00', { tree: { name: 'a', child: { name: '' } } }],
    ['raw JSON', '7a040a027b7d', { any: {} }],
    ['no raw JSON', '7a00', { any: null }],
  ]
  for (const [what, hex, expected] of table) it(what, () => expect(read(hex)).to.deep.equal(expected))

  const bytes = (field: number, content: Buffer): Buffer => {
    const { length } = content
    return Buffer.concat([
      Buffer.from(length < 128 ? [(field << 3) | 2, length] : [(field << 3) | 2, (length & 127) | 128, length >> 7]),
      content,
    ])
  }
  const entry = (field: number, key: string, ...value: Buffer[]): Buffer =>
    bytes(field, Buffer.concat([bytes(1, Buffer.from(key)), ...value]))
  const inSteps = (message: Buffer): { count: number; value: JsonObject } => {
    const steps = decodeMessageInSteps(all, message)
    let count = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) count++
    return { count, value: step.value }
  }
  const keys = Array.from({ length: 3000 }, (_, i) => `k${i}`)

  it('reads wide maps in steps, and keeps the last entry of each key', () => {
    const message = Buffer.concat([
      ...keys.map(key => entry(12, key, bytes(2, Buffer.from('old')))),
      entry(14, 'a'),
      ...keys.slice(1000).map(key => entry(12, key, bytes(2, Buffer.from('new')))),
      entry(14, 'b'),
    ])
    const { count, value } = inSteps(message)
    expect(count).to.be.greaterThan(5)
    expect(value).to.deep.equal({ map: Object.fromEntries(keys.map((key, i) => [key, i < 1000 ? 'old' : 'new'])), trees: { a: {}, b: {} } })
  })

  it('reads the members of the root and of structs in it in steps', () => {
    const many = Buffer.concat(keys.map(key => entry(12, key)))
    const steps = decodeMessageInSteps(all, many)
    expect(steps.next().done).to.equal(false)
    let yields = 1
    while (!steps.next().done) yields++
    expect(yields).to.be.greaterThan(8)
  })

  it('reads wide maps with interleaved entries in steps', () => {
    const { count, value } = inSteps(Buffer.concat(keys.flatMap(key => [entry(12, key), entry(13, key)])))
    expect(count).to.be.greaterThan(5)
    expect(value).to.deep.equal({
      map: Object.fromEntries(keys.map(key => [key, ''])),
      counts: Object.fromEntries(keys.map(key => [key, 0])),
    })
  })

  it('treats a map key that every object inherits as data', () => {
    const key = Buffer.from('__proto__').toString('hex')
    const { map } = read(`620e0a09${key}120178`) as { map: object }
    expect(Object.entries(map)).to.deep.equal([['__proto__', 'x']])
    expect(Object.getPrototypeOf(map)).to.equal(Object.prototype)
  })

  const unknown: [string, hex: string][] = [
    ['a varint', 'f806ffff03'],
    ['eight bytes', 'f9060102030405060708'],
    ['bytes', 'fa0603010203'],
    ['a group', 'fb06' + '0801' + 'fc06'],
    ['four bytes', 'fd0601020304'],
  ]
  for (const [what, hex] of unknown)
    it(`skip ${what} of a field that is not known`, () => expect(read(`${hex}2001`)).to.deep.equal({ on: true }))

  /** Every member with each wire type but its own. */
  const wires: Record<number, { text: string; own: number }> = {
    1: { text: 'text', own: 2 },
    2: { text: 'small', own: 0 },
    4: { text: 'on', own: 0 },
    5: { text: 'ratio', own: 1 },
    6: { text: 'data', own: 2 },
    7: { text: 'time', own: 2 },
    9: { text: 'port', own: 2 },
    10: { text: 'tree', own: 2 },
    11: { text: 'list', own: 2 },
    12: { text: 'map', own: 2 },
  }
  for (const [number, { text, own }] of Object.entries(wires))
    for (const wire of [0, 1, 2, 5].filter(other => other !== own))
      it(`refuse wire type ${wire} for ${text}`, () => {
        const bytes = Buffer.concat([Buffer.from([(Number(number) << 3) | wire]), Buffer.alloc(8)])
        expect(() => decodeMessage(all, bytes)).to.throw(
          ProtobufError,
          `proto: wrong wireType = ${wire} for field ${text.charAt(0).toUpperCase()}${text.slice(1)}`,
        )
      })

  const broken: [string, hex: string][] = [
    ['a length beyond the end', '0a05616263'],
    ['a length beyond the message around it', '5204' + '0a05' + '616263' + '6465'],
    ['a map entry beyond the end', '6209' + '0a0161'],
    ['a special beyond the end', '3a09' + '0801'],
    ['a varint without an end', '10ffffffffffffffffffffff'],
    ['a wire type that there is not', '1f00'],
    ['an invalid time', '3a0b08ffffffffffffffff7f1000'],
    ['invalid raw JSON', '7a030a017b'],
  ]
  for (const [what, hex] of broken) it(`refuse ${what}`, () => expect(() => read(hex)).to.throw(ProtobufError))
})

describe('nested protobuf', () => {
  const nested = (depth: number): Buffer => {
    let bytes: Buffer = Buffer.alloc(0)
    for (let i = 0; i < depth; i++) bytes = Buffer.from(encodeLength(2, bytes))
    return bytes
  }
  const encodeLength = (number: number, message: Uint8Array): Uint8Array => {
    const length: number[] = []
    for (let rest = message.length; ; rest >>>= 7) {
      if (rest < 0x80) {
        length.push(rest)
        break
      }
      length.push((rest & 0x7f) | 0x80)
    }
    return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), message])
  }

  it('is read up to a depth, and rejected beyond it', () => {
    let depth = 0
    for (let at: JsonObject | undefined = decodeMessage(tree, nested(1000)); at?.child; at = at.child as JsonObject) depth++
    expect(depth).to.equal(1000)
    expect(() => decodeMessage(tree, nested(1001))).to.throw(ProtobufError, 'proto: message is nested too deeply')
    expect(() => decodeMessage(tree, nested(5000))).to.throw(ProtobufError, 'proto: message is nested too deeply')
  })
})

describe('corrupt protobuf', () => {
  const folder = new URL('../../fixtures/codec/roundtrip/', import.meta.url)
  const schema = types.type('core.ConfigMap')
  const { message } = unwrap(readFileSync(new URL('core.v1.ConfigMap.pb', folder)))
  const outcome = (bytes: Uint8Array): 'read' | 'refused' => {
    try {
      decodeMessage(schema, bytes)
      return 'read'
    } catch (error) {
      if (error instanceof ProtobufError) return 'refused'
      throw error
    }
  }

  it('is read or rejected with a ProtobufError if it is truncated', () => {
    const outcomes = Array.from({ length: message.length }, (_, end) => outcome(message.subarray(0, end)))
    expect(outcomes.filter(seen => seen === 'refused').length).to.be.greaterThan(outcomes.length * 0.9)
  })

  it('is read or rejected with a ProtobufError if any byte is changed', () => {
    for (let at = 0; at < message.length; at++)
      for (const turn of [0x01, 0x80, 0xff]) {
        const bytes = Uint8Array.from(message)
        bytes[at] = (bytes[at] as number) ^ turn
        outcome(bytes)
      }
  })
})

describe('protobuf of the served kinds', () => {
  const definitions = builtinResources({
    features: featuresOf(),
    eventTtlSeconds: 1,
    serviceCIDRs: ['10.0.0.0/24'],
    nodePortRange: { base: 30000, size: 10 },
  })
  for (const { hub } of definitions)
    it(`decodes an encoded empty ${hub.kind} unchanged`, () => {
      const empty = decode(hub.schema, { metadata: { name: 'a' } })
      expect(decode(hub.schema, decodeMessage(hub.schema, encodeMessage(hub.schema, empty)))).to.deep.equal(empty)
    })

  it('lists items of any length', () => {
    const lengths = [0, 1, 100, 127, 128, 129, 16_000, 16_384, 70_000]
    const items = lengths.map(length => ({ metadata: { name: 'x'.repeat(length) } }))
    const bytes = listMessage(
      encodeMessage(types.type('meta.ListMeta'), { resourceVersion: '7' }),
      items.map(item => encodeMessage(types.type('core.ConfigMap'), item)),
    )
    const { items: back, metadata } = decodeMessage(types.type('core.ConfigMapList'), bytes) as {
      items: { metadata: { name: string } }[]
      metadata: JsonObject
    }
    expect(back.map(item => item.metadata.name.length)).to.deep.equal(lengths)
    expect(metadata.resourceVersion).to.equal('7')
  })

  it('frames events as upstream does', () => {
    const upstream = readFileSync(new URL('../../fixtures/codec/watch-event.pb', import.meta.url))
    const object = Buffer.from('{"apiVersion":"example.com/v1","kind":"CustomType","spec":{"replicas":1},"status":{"available":1}}')
    expect(watchFrame('typeValue', object).subarray(4).equals(unwrap(upstream).message)).to.equal(true)
  })

  it('keeps the content of raw JSON', () => {
    const data = { b: 1, a: ['<', 1.5, null] }
    const revision = { metadata: { name: 'a' }, data, revision: 3 }
    const schema = types.type('apps.ControllerRevision')
    const { message } = unwrap(encodeProtobuf(schema, { apiVersion: 'apps/v1', kind: 'ControllerRevision' }, decode(schema, revision)))
    expect(decodeMessage(schema, message)).to.deep.include({ data })
  })
})
