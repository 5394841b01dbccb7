import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { types } from '../../../src/catalog/types.ts'
import { encodeJson, parseJson } from '../../../src/codec/json.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { Transcoder } from '../../../src/codec/protobuf-transcode.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { decode } from '../../../src/schema/decode.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { parseOwn } from '../../../src/storage/parse-own.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { roundtripSchema } from '../../support/roundtrip.ts'

/** Objects of k8s.io/api 0.33 (testdata/HEAD) with every field set, in JSON and in protobuf. */
const folder = new URL('../../fixtures/codec/roundtrip/', import.meta.url)
const names = readdirSync(folder)
  .filter(file => file.endsWith('.json'))
  .map(file => file.slice(0, -5))
/** A null time in a map, which makes the object be parsed. */
const PARSED = 'policy.v1.PodDisruptionBudget'

const transcoder = new Transcoder()
const normalJson = (schema: StructSchema, object: JsonObject): Buffer => encodeJson(schema, decode(schema, object))
const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex')
/** Encodes the parsed object, without transcoding. */
const message = (schema: StructSchema, json: Buffer): string | undefined =>
  hex(encodeMessage(schema, parseOwn(json) as unknown as JsonObject))

/** Returns a random variation of a value: members and items are omitted or repeated, numbers and texts changed. */
function thinned(value: Json, random: () => number): Json {
  if (Array.isArray(value)) return value.flatMap(item => Array.from({ length: Math.floor(random() * 3) }, () => thinned(item, random)))
  if (typeof value === 'object' && value !== null) {
    const share = random()
    return Object.fromEntries(
      Object.entries(value)
        .filter(() => random() < share)
        .map(([key, member]) => [key, thinned(member, random)]),
    )
  }
  if (typeof value === 'number') return Math.floor(random() * 2 ** (random() * 31)) * (random() < 0.1 ? -1 : 1)
  return typeof value === 'string' && value.startsWith('.')
    ? TEXTS[Math.floor(random() * TEXTS.length)] + value.repeat(Math.floor(random() * 20))
    : value
}
const TEXTS = ['', 'x', 'ä', '𝄞', '"', '\\', '\n\t\r\b\f', '<&>', '\u2028', '\u0001', '{"a":["b"]}', ',}]']

describe('transcoding JSON to protobuf', () => {
  for (const name of names) {
    const schema = roundtripSchema(name)
    const json = normalJson(schema, parseJson(readFileSync(new URL(`${name}.json`, folder))).value as JsonObject)
    it(`encodes ${name} like its object`, () =>
      expect(hex(transcoder.transcode(schema, json, 1, 0))).to.equal(name === PARSED ? undefined : message(schema, json)))
  }

  const random = seededRandom(7)
  for (const name of [
    'core.Pod',
    'core.Service',
    'core.Node',
    'core.PersistentVolume',
    'apps.StatefulSet',
    'batch.CronJob',
    'networking.NetworkPolicy',
  ])
    it(`encodes ${name} without some members like its object`, () => {
      const schema = types.type(name)
      const full = fillStruct(schema)
      let transcoded = 0
      for (let i = 0; i < 200; i++) {
        const json = normalJson(schema, thinned(full, random) as JsonObject)
        const bytes = transcoder.transcode(schema, json, 1, 0)
        if (bytes === undefined) continue
        transcoded++
        expect(hex(bytes), json.toString()).to.equal(message(schema, json))
      }
      expect(transcoded).to.be.greaterThan(150)
    })

  const schema = new TypeRegistry()
    .add({
      id: 't',
      definition: 'io.example.v1',
      source: `
type Thing
  name 2 string?
  inline 1 Part
  count 3 *int64?
  late 9 string?
  early 4 string?
  any 13 *RawExtension?
  when 14 Time?
  labels 15 map[string]string?
  parts 16 []Part?

type Part
  on 1 bool?
  of 2 string?
`,
    })
    .type('t.Thing')
  const same = [
    '{}',
    '{"name":"a","on":true,"of":"b"}',
    '{"name":"a","late":"l","early":"e"}',
    '{"late":"l"}',
    '{"parts":[{},{"on":true}]}',
    '{"labels":{"a":"","b":"c"}}',
  ]
  const odd = [
    '{"when":null}',
    '{"when":"2020-01-01T00:00:01+02:00"}',
    '{"when":"1969-12-31T23:59:59Z"}',
    '{"when":"2200-01-01T00:00:00Z"}',
    '{"count":-1}',
  ]
  const large = [
    '{"count":9007199254740993}',
    '{"any":{"a":-0,"b":9007199254740993,"c":"\\u003c"}}',
    '{"any":{"b":1,"a":[1.5,{}]}}',
    '{"any":{"\\u003c":"\\""}}',
  ]
  for (const text of [...same, ...odd, ...large])
    it(`encodes ${text} like its object`, () =>
      expect(hex(transcoder.transcode(schema, Buffer.from(text), 1, 0))).to.equal(message(schema, Buffer.from(text))))

  const otherwise: [string, string][] = [
    ['members in another order', '{"early":"e","name":"a"}'],
    ['a member that is not known', '{"name":"a","none":1}'],
    ['a null in a list', '{"parts":[null]}'],
    ['half a character', '{"name":"\\ud834"}'],
    ['truncated JSON', '{"name":"a'],
    ['JSON with text behind it', '{"name":"a"} '],
    ['another type', '{"name":1}'],
    ['more zeros than JSON', `{"parts":[${Array.from({ length: 400_000 }, () => '{}').join(',')}]}`],
  ]
  for (const [what, text] of otherwise)
    it(`leaves ${what} to the decoder`, () => expect(transcoder.transcode(schema, Buffer.from(text), 1, 0)).to.equal(undefined))

  it('leaves space before the message', () =>
    expect(hex(transcoder.transcode(schema, Buffer.from('{"name":"a"}'), 1, 3)?.subarray(3))).to.equal(
      message(schema, Buffer.from('{"name":"a"}')),
    ))

  it('grows its buffer with the message', () => {
    const text = Buffer.from(`{"parts":[${Array.from({ length: 3000 }, (_, i) => `{"of":"${'x'.repeat(i % 300)}"}`).join(',')}]}`)
    expect(hex(transcoder.transcode(schema, text, 1, 0))).to.equal(message(schema, text))
  })
})
