import { expect } from 'chai'
import { CatalogSnapshot } from '../../../src/catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../../src/catalog/definition.ts'
import { mediaOffer } from '../../../src/codec/accept-header.ts'
import { wrap } from '../../../src/codec/protobuf.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { decodeBody } from '../../../src/endpoints/body.ts'
import { bodyTarget } from '../../../src/registry/change/body-target.ts'
import type { FieldValidation } from '../../../src/registry/types.ts'
import { loose } from '../../support/any-object.ts'
import { FakeExchange } from '../../support/exchange.ts'
import { refusalText, widgetResource } from '../../support/test-registry.ts'

const definition = widgetResource()
const { hub } = definition
const other = (version: Partial<Version>): ResourceDefinition => ({
  ...definition,
  hub: { ...hub, ...version },
  versions: [{ ...hub, ...version }],
})
const snapshot = new CatalogSnapshot(1, [
  definition,
  other({ kind: 'Gadget', names: { plural: 'gadgets', singular: 'gadget' } }),
  other({ group: 'other.io' }),
])
const PROTOBUF = 'application/vnd.kubernetes.protobuf'

const env = { media: mediaOffer() }

async function read(body: string | Buffer, type = 'application/json', fieldValidation: FieldValidation = 'Warn') {
  const exchange = new FakeExchange('/x', { body, headers: { 'content-type': type } })
  return { exchange, decode: await decodeBody({ exchange, snapshot, env }, Buffer.from(body), bodyTarget(hub), fieldValidation) }
}
const refused = (...args: Parameters<typeof read>) => refusalText(read(...args))

const head = '"apiVersion":"example.io/v1","kind":"Widget"'
const widget = (spec: object, metadata: object = { name: 'a', creationTimestamp: null }) => ({
  kind: 'Widget',
  apiVersion: 'example.io/v1',
  metadata,
  spec,
  status: {},
})

describe('bodies', () => {
  const table: [string, body: string | Buffer, type: string | undefined, expected: object][] = [
    ['JSON', `{${head},"metadata":{"name":"a"},"spec":{"size":2}}`, 'application/json', widget({ size: 2 })],
    ['JSON with parameters', `{${head},"metadata":{"name":"a"}}`, 'application/json; charset=utf-8', widget({ size: 1 })],
    ['no type of media', `{${head},"metadata":{"name":"a"}}`, '', widget({ size: 1 })],
    ['JSON without kind and apiVersion', '{"metadata":{"name":"a"}}', 'application/json', widget({ size: 1 })],
    [
      'YAML',
      'apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\nspec: {color: "on"}\n',
      'application/yaml',
      widget({ size: 1, color: 'on' }),
    ],
    [
      'protobuf',
      wrap({ apiVersion: 'example.io/v1', kind: 'Widget' }, encodeMessage(hub.schema, { metadata: { name: 'a' }, spec: { size: 5 } })),
      PROTOBUF,
      widget({ size: 5 }),
    ],
    [
      'a request to forget managers',
      `{${head},"metadata":{"name":"a","managedFields":[]}}`,
      undefined,
      widget({ size: 1 }, { name: 'a', creationTimestamp: null, managedFields: [] }),
    ],
  ]
  for (const [what, body, type, expected] of table)
    it(`are read: ${what}`, async () => expect((await read(body, type)).decode()).to.deep.equal(expected))

  it('decode to a fresh object each time', async () => {
    const { decode } = await read(`{${head},"metadata":{"name":"a"},"spec":{"parts":["x"]}}`)
    const first = loose(decode())
    first.spec.parts.push('y')
    expect(decode().spec).to.deep.equal({ size: 1, parts: ['x'] })
    expect(decode()).to.not.equal(decode())
  })

  const CANNOT = 'Widget in version "v1" cannot be handled as a Widget: '
  const unknown = `{${head},"spec":{"odd":1,"size":1,"size":2},"metadata":{"name":"a"}}`
  it('are validated by fieldValidation', async () => {
    const faults = ['unknown field "spec.odd"', 'duplicate field "spec.size"']
    const warned = await read(unknown)
    expect(warned.exchange.warnings).to.have.members(faults)
    expect(warned.decode().spec).to.deep.equal({ size: 2 })
    const ignored = await read(unknown, 'application/json', 'Ignore')
    expect(ignored.exchange.warnings).to.deep.equal([])
    const told = await refused(unknown, 'application/json', 'Strict')
    expect(told).to.match(/^400 BadRequest: Widget in version "v1" cannot be handled as a Widget: strict decoding error: /)
    for (const fault of faults) expect(told).to.include(fault)
  })

  const UNRECOGNIZED = 'the object provided is unrecognized (must be of type Widget): '
  const wrong: [string, body: string | Buffer, type: string, text: string | RegExp][] = [
    [
      'a media type that is not read',
      '{}',
      'text/plain',
      '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'no JSON',
      'kind: Widget',
      'application/json',
      /^400 BadRequest: the object provided is unrecognized \(must be of type Widget\): couldn't get version\/kind; json parse error: .* \(6b696e643a20576964676574\)$/,
    ],
    ['nothing', '', 'application/json', /\(<empty>\)$/],
    [
      'long JSON that breaks off',
      `{"metadata":{"name":"${'x'.repeat(40)}`,
      'application/json',
      /\(\{"metadata":\{"name":"xxxxxxxxx \.\.\.\)$/,
    ],
    [
      'another kind',
      '{"apiVersion":"example.io/v1","kind":"Gadget"}',
      'application/json',
      '400 BadRequest: Gadget in version "v1" cannot be handled as a Widget: converting (v1.Gadget) to (example.Widget): unknown conversion',
    ],
    [
      'a kind that there is not',
      '{"apiVersion":"example.io/v1","kind":"Nothing"}',
      'application/json',
      '400 BadRequest: Nothing in version "v1" cannot be handled as a Widget: no kind "Nothing" is registered for version "example.io/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      'another group',
      '{"apiVersion":"other.io/v1","kind":"Widget"}',
      'application/json',
      '400 BadRequest: the API version in the data (other.io/v1) does not match the expected API version (example.io/v1)',
    ],
    [
      'another version',
      '{"apiVersion":"example.io/v2","kind":"Widget"}',
      'application/json',
      '400 BadRequest: Widget in version "v2" cannot be handled as a Widget: no kind "Widget" is registered for version "example.io/v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      'an apiVersion with two slashes',
      '{"apiVersion":"a/b/c","kind":"Widget"}',
      'application/json',
      `400 BadRequest: ${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)`,
    ],
    [
      'a value of another type',
      `{${head},"spec":{"size":"x"}}`,
      'application/json',
      `400 BadRequest: ${CANNOT}json: cannot unmarshal string into Go struct field WidgetSpec.spec.size of type int32`,
    ],
    [
      'invalid protobuf',
      '{}',
      PROTOBUF,
      `400 BadRequest: ${UNRECOGNIZED}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})`,
    ],
    [
      'protobuf of another kind, unread',
      wrap({ apiVersion: 'example.io/v1', kind: 'Gadget' }, Buffer.from('ff', 'hex')),
      PROTOBUF,
      '400 BadRequest: Gadget in version "v1" cannot be handled as a Widget: converting (v1.Gadget) to (example.Widget): unknown conversion',
    ],
    [
      'protobuf that breaks off',
      wrap({ apiVersion: 'example.io/v1', kind: 'Widget' }, Buffer.from('0aff', 'hex')),
      PROTOBUF,
      '400 BadRequest: Widget in version "v1" cannot be handled as a Widget: unexpected EOF',
    ],
  ]
  for (const [what, body, type, text] of wrong)
    it(`are refused: ${what}`, async () => {
      const told = await refused(body, type)
      if (typeof text === 'string') expect(told).to.equal(text)
      else expect(told).to.match(text)
    })
})
