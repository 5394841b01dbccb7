import { expect } from 'chai'
import type { Json, JsonObject, KubeObject } from '../../../src/api/meta/object.ts'
import { CatalogSnapshot } from '../../../src/catalog/catalog.ts'
import { mediaOffer } from '../../../src/codec/accept-header.ts'
import { encodeCborValue } from '../../../src/codec/cbor.ts'
import { encodeProtobuf, wrap } from '../../../src/codec/protobuf.ts'
import { decodeBody } from '../../../src/endpoints/body.ts'
import { quote } from '../../../src/lib/go-quote.ts'
import { StatusError } from '../../../src/meta/status.ts'
import { bodyTarget } from '../../../src/registry/change/body-target.ts'
import { leaseResource } from '../../../src/resources/coordination/lease/definition.ts'
import { decode } from '../../../src/schema/decode.ts'
import { writeString } from '../../../src/schema/json-text.ts'
import { FakeExchange } from '../../support/exchange.ts'

/** The same error in each media type is refused with the path of its member. */

const definition = leaseResource
const snapshot = new CatalogSnapshot(1, [definition])
const env = { media: mediaOffer({ cbor: true }) }

async function read(type: string, body: Buffer): Promise<KubeObject> {
  const exchange = new FakeExchange('/x', { body, headers: { 'content-type': type } })
  return (await decodeBody({ exchange, snapshot, env }, body, bodyTarget(definition.hub), 'Strict'))()
}
async function refusal(type: string, body: Buffer): Promise<string> {
  try {
    await read(type, body)
    return 'read'
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return `${error.code} ${error.status.message}`
  }
}

const JSON_BODY = 'application/json'
const YAML_BODY = 'application/yaml'
const PROTOBUF_BODY = 'application/vnd.kubernetes.protobuf'
const CBOR_BODY = 'application/cbor'

const lease = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'x', ...metadata },
  spec,
})
/** JSON is YAML as well. A bigint is written as its digits. */
const text = (value: Json): Buffer =>
  Buffer.from(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `#${member}#` : member)).replace(/"#(-?\d+)#"/g, '$1'))
const TYPE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
const message = (hex: string): Buffer => wrap(TYPE, Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('errors of bodies in each media type', () => {
  const cases: [what: string, value: JsonObject, path: RegExp][] = [
    [
      'a number beyond its field',
      lease({ leaseDurationSeconds: 3_000_000_000 }),
      /^400 .*cannot unmarshal (number 3000000000|positive integer) into .*spec\.leaseDurationSeconds of type int32/,
    ],
    ['a number below it', lease({ leaseDurationSeconds: -3_000_000_000 }), /^400 .*spec\.leaseDurationSeconds of type int32/],
    [
      'a fraction',
      lease({ leaseDurationSeconds: 1.5 }),
      /^400 .*cannot unmarshal (number 1\.5|primitives) into .*spec\.leaseDurationSeconds of type int32/,
    ],
    [
      'a text for a number',
      lease({ leaseDurationSeconds: '1' }),
      /^400 .*cannot unmarshal (byte )?string into .*spec\.leaseDurationSeconds of type int32/,
    ],
    ['a list for a text', lease({ holderIdentity: [] }), /^400 .*cannot unmarshal array into .*spec\.holderIdentity of type string/],
    ['a text for a struct', lease('x' as unknown as JsonObject), /^400 .*cannot unmarshal (byte )?string into .*spec of type/],
    ['a member that there is not', lease({ holder: 'x' }), /^400 .*strict decoding error: unknown field "spec\.holder"$/],
    ['a prototype', lease({ ['__proto__']: 1 }), /^400 .*strict decoding error: unknown field "spec\.__proto__"$/],
    ['a constructor', lease({ constructor: 1 as unknown as Json }), /^400 .*strict decoding error: unknown field "spec\.constructor"$/],
  ]
  for (const [what, value, path] of cases) {
    it(`${what}, in JSON`, async () => expect(await refusal(JSON_BODY, text(value))).to.match(path))
    it(`${what}, in YAML`, async () => expect(await refusal(YAML_BODY, text(value))).to.match(path))
    it(`${what}, in CBOR`, async () => expect(await refusal(CBOR_BODY, encodeCborValue(value))).to.match(path))
  }

  it('repeated members', async () => {
    const twice = Buffer.from('{"spec":{"holderIdentity":"a","holderIdentity":"b"}}')
    expect(await refusal(JSON_BODY, twice)).to.match(/^400 .*duplicate field "spec\.holderIdentity"$/)
    expect(await refusal(YAML_BODY, twice)).to.match(/^400 [\s\S]*key "holderIdentity" already set in map/)
    expect(await refusal(CBOR_BODY, Buffer.from('a14473706563a24161f64161f6', 'hex'))).to.match(
      /^400 .*duplicate map key "a" at map element index 1 \(spec\.a\)$/,
    )
  })

  it('invalid UTF-8: refused in CBOR, each byte written as U+FFFD in protobuf and JSON as upstream does, and as \\x.. in messages', async () => {
    for (const [bytes, json, quoted] of [
      ['ffff', '\ufffd\ufffd', '\\xff\\xff'],
      ['61c36262ff', 'a\ufffdbb\ufffd', 'a\\xc3bb\\xff'],
      ['eda080', '\ufffd\ufffd\ufffd', '\\xed\\xa0\\x80'],
      ['efbfbd', '\ufffd', '\ufffd'],
      ['efbfbdfff09f9982e6bca2c3a9', '\ufffd\ufffd🙂漢é', '\ufffd\\xff🙂漢é'],
    ] as const) {
      const length = (extra: number): string => (bytes.length / 2 + extra).toString(16).padStart(2, '0')
      const { spec } = await read(PROTOBUF_BODY, message(`12${length(2)} 0a${length(0)} ${bytes}`))
      const { holderIdentity = '' } = spec as { holderIdentity?: string }
      expect(writeString(holderIdentity)).to.equal(`"${json}"`)
      expect(quote(holderIdentity)).to.equal(`"${quoted}"`)
    }
    expect(await refusal(CBOR_BODY, Buffer.from('a14473706563a14e686f6c6465724964656e7469747941ff', 'hex'))).to.match(
      /^400 .*invalid UTF-8 string \(spec\.holderIdentity\)$/,
    )
    const json = Buffer.concat([Buffer.from('{"spec":{"holderIdentity":"'), Buffer.from([0xff]), Buffer.from('"}}')])
    expect((await read(JSON_BODY, json)).spec).to.deep.equal({ holderIdentity: '\ufffd' })
  })

  it('wrong lengths and types in protobuf', async () => {
    expect(await refusal(PROTOBUF_BODY, message('1204 0a7f 6161'))).to.match(
      /^400 .*in version "v1" cannot be handled as a Lease: unexpected EOF$/,
    )
    expect(await refusal(PROTOBUF_BODY, message('1203 1201 61'))).to.match(
      /^400 .*cannot be handled as a Lease: proto: wrong wireType = 2 for field LeaseDurationSeconds$/,
    )
    expect(await refusal(PROTOBUF_BODY, message('0a06 6a04 0a02 0affff'))).to.match(/^400 .*cannot be handled as a Lease: /)
  })

  it('integers beyond 2^53 are kept', async () => {
    const value = lease({}, { generation: 9_007_199_254_740_993n })
    const { schema } = definition.hub
    const bodies: [string, Buffer][] = [
      [JSON_BODY, text(value)],
      [YAML_BODY, text(value)],
      [CBOR_BODY, encodeCborValue(value)],
      [PROTOBUF_BODY, encodeProtobuf(schema, TYPE, decode(schema, value))],
    ]
    for (const [type, body] of bodies) expect((await read(type, body)).metadata.generation, type).to.equal(9_007_199_254_740_993n)
  })

  it('nesting beyond the limit of each media type', async () => {
    const deep = (levels: number): Buffer => Buffer.from(`{"spec":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    expect(await refusal(JSON_BODY, deep(10_001))).to.match(/^400 .*exceeded max depth/)
    expect(await refusal(YAML_BODY, deep(10_001))).to.match(/^400 /)
    expect(await refusal(CBOR_BODY, Buffer.from(`a14473706563${'81'.repeat(64)}01`, 'hex'))).to.match(
      /^400 .*exceeded max nested level 64 \(spec\[0\]\[0\]/,
    )
  })
})
