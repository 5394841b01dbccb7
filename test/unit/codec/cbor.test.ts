import { readdirSync, readFileSync } from 'node:fs'
import { Encoder } from 'cbor-x'
import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { CborError, cborBody, encodeCbor, encodeCborValue, parseCbor, parseCborInSteps } from '../../../src/codec/cbor.ts'
import { parseJson } from '../../../src/codec/json.ts'
import { MOST_VALUES } from '../../../src/codec/value-bound.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { decode } from '../../../src/schema/decode.ts'
import { countedSteps } from '../../support/counted-steps.ts'
import { roundtripSchema } from '../../support/roundtrip.ts'

/**
 * Objects of k8s.io/api 0.33 (testdata/HEAD) with every field set, in JSON and in the CBOR of apimachinery's encoder.
 */
const folder = new URL('../../fixtures/codec/roundtrip/', import.meta.url)
const names = readdirSync(folder)
  .filter(file => file.endsWith('.cbor'))
  .map(file => file.slice(0, -5))

describe('CBOR bodies', () => {
  for (const name of names) {
    const schema = roundtripSchema(name)
    const json = parseJson(readFileSync(new URL(`${name}.json`, folder))).value as JsonObject
    const bytes = readFileSync(new URL(`${name}.cbor`, folder))
    const { kind, apiVersion } = json as { kind: string; apiVersion: string }
    it(`${name} encodes byte for byte`, () => {
      expect(cborBody(encodeCbor(schema, { kind, apiVersion, ...decode(schema, json) })).toString('hex')).to.equal(bytes.toString('hex'))
    })
    it(`${name} decodes`, () => expect(decode(schema, parseCbor(bytes).value)).to.deep.equal(decode(schema, json)))
  }
})

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const read = (text: string): Json => {
  const { value, fault } = parseCbor(hex(text))
  if (fault) throw new CborError(fault.text)
  return value
}

describe('CBOR items', () => {
  it('joins chunks of strings of every length', () => {
    const chunk = (text: string): Buffer =>
      Buffer.concat([text.length < 24 ? Buffer.from([0x60 + text.length]) : Buffer.from([0x78, text.length]), Buffer.from(text)])
    const texts = ['', 'a', 'b'.repeat(23), 'c'.repeat(24), '', 'd', 'e'.repeat(200), 'f'.repeat(200), 'g', '']
    const joined = (list: readonly string[]): Json =>
      parseCbor(Buffer.concat([Buffer.from('a161617f', 'hex'), ...list.map(chunk), Buffer.from([0xff])])).value
    for (let i = 0; i <= texts.length; i++) expect(joined(texts.slice(i))).to.deep.equal({ a: texts.slice(i).join('') })
    for (let cut = 5; cut < 30; cut++) {
      const bytes = Buffer.concat([Buffer.from('a161617f', 'hex'), chunk('a'), chunk('b'.repeat(23))])
      expect(() => parseCbor(bytes.subarray(0, cut)), String(cut)).to.throw('unexpected EOF')
    }
  })

  it('rejects a string of more chunks than a body may have values, before it joins them', () => {
    const text = (chunk: string, count: number) =>
      Buffer.concat([Buffer.from([0x7f]), Buffer.from(chunk.repeat(count), 'hex'), Buffer.from([0xff])])
    expect(parseCbor(text('6161', MOST_VALUES)).value).to.have.length(MOST_VALUES)
    for (const chunk of ['60', '6161', '780161'])
      expect(() => parseCbor(text(chunk, MOST_VALUES + 1)), chunk).to.throw(`Request entity too large: limit is ${MOST_VALUES} values`)
  })

  it('yields in proportion to the items, and reads keys, tags and times as in one call', () => {
    const items = Array.from({ length: 1000 }, () => Array.from({ length: 50 }, (_, i) => i))
    const { result, yields } = countedSteps(parseCborInSteps(encodeCborValue(items)))
    expect(result.value).to.deep.equal(items)
    expect(yields).to.be.greaterThan(50)
    // An array as a key, a time in nested tags, and a tag that ends with its array.
    expect(parseCbor(hex('a1 81 c1 00 d6 c1 c1 00')).value).to.deep.equal({ '': '1970-01-01T00:00:00Z' })
    expect(parseCbor(hex('83 d6 81 41 61 41 61 d7 41 61')).value).to.deep.equal([['YQ=='], 'a', '61'])
  })

  it('sorts many keys by their encoded bytes, whatever their order was', () => {
    const random = seededRandom(3)
    for (const alphabet of ['abc', 'aé\u{ffff}\u{1f600}']) {
      const letters = [...alphabet]
      const key = (): string =>
        Array.from({ length: 1 + Math.floor(random() * 6) }, () => letters[Math.floor(random() * letters.length)]).join('')
      const map = Object.fromEntries(Array.from({ length: 300 }, () => [key(), 1]))
      const order = Object.keys(parseCbor(cborBody(encodeCborValue(map))).value as JsonObject)
      const encoded = Object.keys(map).map(text => [encodeCborValue(text), text] as const)
      expect(order).to.deep.equal(encoded.sort(([a], [b]) => Buffer.compare(a, b)).map(([, text]) => text))
    }
  })

  // RFC 8949, appendix A, without the values that JSON does not have.
  const examples: [string, Json][] = [
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1864', 100],
    ['1903e8', 1000],
    ['1a000f4240', 1000000],
    ['1b000000e8d4a51000', 1000000000000],
    ['1b7fffffffffffffff', 9223372036854775807n],
    ['20', -1],
    ['3863', -100],
    ['3903e7', -1000],
    ['3b7fffffffffffffff', -9223372036854775808n],
    ['f93e00', 1.5],
    ['f97bff', 65504],
    ['f90001', 2 ** -24],
    ['fa47c35000', 100000],
    ['fa7f7fffff', 3.4028234663852886e38],
    ['fb3ff199999999999a', 1.1],
    ['fb7e37e43c8800759c', 1e300],
    ['fbc010666666666666', -4.1],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['40', ''],
    ['6161', 'a'],
    ['62c3bc', 'ü'],
    ['64f0908591', '\u{10151}'],
    ['80', []],
    ['83010203', [1, 2, 3]],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', {}],
    ['a26161016162820203', { a: 1, b: [2, 3] }],
    ['5f42010243030405ff', '\u0001\u0002\u0003\u0004\u0005'],
    ['7f657374726561646d696e67ff', 'streaming'],
    ['9fff', []],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
    ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
    ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
    ['c11a514b67b0', '2013-03-21T20:04:00Z'],
    ['c1fb41d452d9ec200000', '2013-03-21T20:04:00.5Z'],
    ['d74401020304', '01020304'],
    ['d64401020304', 'AQIDBA=='],
    ['d54401020304', 'AQIDBA'],
    ['d682 d7 4101 4102', ['01', 'Ag==']],
    // The tag of a later encoding applies only to the item after it, also to a time.
    ['82 d5c100 4161', ['1970-01-01T00:00:00Z', 'a']],
    ['d9d9f7 d9d9f7 01', 1],
    ['d82076687474703a2f2f7777772e6578616d706c652e636f6d', 'http://www.example.com'],
  ]
  for (const [text, value] of examples) it(`${text} is read`, () => expect(read(text)).to.deep.equal(value))

  it('treats names of prototype members as data', () => {
    const value = read('a1495f5f70726f746f5f5fa1617801') as JsonObject
    expect(Object.keys(value)).to.deep.equal(['__proto__'])
    expect(({} as { x?: unknown }).x).to.equal(undefined)
  })

  it('are encoded in the shortest form, with keys sorted by length and then by bytes', () => {
    const table: [Json, string][] = [
      [1.5, 'f93e00'],
      [-4.1, 'fbc010666666666666'],
      [0.00006103515625, 'f90400'],
      [2 ** -24, 'f90001'],
      [100000.5, 'fa47c35040'],
      [1e300, 'fb7e37e43c8800759c'],
      [2 ** 53, 'fa5a000000'],
      [9223372036854775807n, '1b7fffffffffffffff'],
      [-9223372036854775808n, '3b7fffffffffffffff'],
      [4294967296, '1b0000000100000000'],
      [{ bb: 1, a: 2, é: 3, c: null }, 'a4 4161 02 4163 f6 426262 01 42c3a9 03'.replaceAll(' ', '')],
      ['x'.repeat(24), `5818${'78'.repeat(24)}`],
    ]
    for (const [value, bytes] of table) expect(encodeCborValue(value).toString('hex')).to.equal(bytes)
  })

  // cbor-x writes text strings and keeps the order of keys. It does not support byte strings as keys, so our bytes are
  // read into Maps of Buffers.
  const other = new Encoder({ useRecords: false, mapsAsObjects: true, variableMapSize: true })
  const otherMaps = new Encoder({ useRecords: false, mapsAsObjects: false })
  it('are read and written like those of another implementation', () => {
    const random = seededRandom(7)
    for (let i = 0; i < 2000; i++) {
      const value = randomValue(random, 0)
      expect(parseCbor(Buffer.from(other.encode(value))).value, JSON.stringify(value)).to.deep.equal(value)
      expect(plain(otherMaps.decode(encodeCborValue(value))), JSON.stringify(value)).to.deep.equal(value)
      expect(parseCbor(encodeCborValue(value)).value).to.deep.equal(value)
    }
  })
})

function randomValue(random: () => number, depth: number): Json {
  const pick = Math.floor(random() * (depth > 4 ? 5 : 7))
  const size = Math.floor(random() * 6)
  switch (pick) {
    case 0:
      return Math.floor((random() - 0.5) * 2 ** Math.floor(random() * 53))
    case 1:
      return (random() - 0.5) * 10 ** Math.floor(random() * 40 - 20)
    case 2:
      return random() < 0.5
    case 3:
      return null
    case 4:
      return String.fromCodePoint(...Array.from({ length: size * 7 }, () => 32 + Math.floor(random() * (random() < 0.1 ? 50_000 : 90))))
    case 5:
      return Array.from({ length: size }, () => randomValue(random, depth + 1))
    default:
      return Object.fromEntries(Array.from({ length: size }, (_, i) => [`${i % 2 ? 'key' : 'ü'}${i}x`, randomValue(random, depth + 1)]))
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [plain(key), plain(member)]))
  return value
}
