import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../src/api/meta/object.ts'
import { types as builtinTypes } from '../../../src/catalog/types.ts'
import { CBOR_TYPE, JSON_TYPE, NEUTRAL_PROTOBUF_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../../../src/codec/accept-header.ts'
import { encodeCbor, parseCbor } from '../../../src/codec/cbor.ts'
import { unwrap } from '../../../src/codec/protobuf.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { formOf, type Output } from '../../../src/endpoints/forms/form-of.ts'
import { respondList, respondObject, respondPlainList, respondStatus } from '../../../src/endpoints/respond.ts'
import type { Scope } from '../../../src/endpoints/scope.ts'
import { FakeExchange, scopeOf } from '../../support/exchange.ts'
import { listOptions, NEVER, refusalText, TestRegistry, widgetResource } from '../../support/test-registry.ts'

const plain: Output = { mediaType: JSON_TYPE, pretty: false }
const as = (kind: string, mediaType = JSON_TYPE): Output => ({
  mediaType,
  pretty: false,
  as: { kind, group: 'meta.k8s.io', version: 'v1' },
})

describe('responses', () => {
  let t: TestRegistry
  before(async () => {
    const table = {
      columns: [
        { name: 'Name', type: 'string' as const, format: 'name', description: 'its <name>' },
        { name: 'Color', type: 'string' as const, description: 'd', priority: 1 },
      ],
      cells: (widget: { metadata: { name?: string }; spec?: JsonObject }) => [widget.metadata.name ?? '', widget.spec?.color ?? ''],
    }
    t = new TestRegistry([widgetResource({ version: { table } })])
    for (const name of ['a', 'b']) {
      await t.create({ name }, { spec: { color: `<${name}>` } })
      await t.update(name, now => {
        now.metadata.managedFields = []
      })
    }
  }) // a is at revision 3, b at 5

  const meta = (name: string, version: string) =>
    `{"name":"${name}","namespace":"ns","uid":"u${name === 'a' ? 1 : 2}","resourceVersion":"${version}","creationTimestamp":"2026-01-02T03:04:05Z"}`
  const item = (name: string, version: string) =>
    `"metadata":${meta(name, version)},"spec":{"size":1,"color":"\\u003c${name}\\u003e"},"status":{}}`
  const A = item('a', '3')
  const B = item('b', '5')
  const TYPE = '"kind":"Widget","apiVersion":"example.io/v1",'
  const LIST = '"kind":"WidgetList","apiVersion":"example.io/v1",'
  const COLUMNS =
    '"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"its \\u003cname\\u003e","priority":0},{"name":"Color","type":"string","format":"","description":"d","priority":1}],'
  const partial = (name: string, version: string) =>
    `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${meta(name, version)}}`
  const row = (name: string, object: string) => `{"cells":["${name}","\\u003c${name}\\u003e"],"object":${object}}`
  const tableOf = (version: string, rows: string) =>
    `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"${version}"},${COLUMNS}"rows":[${rows}]}\n`

  async function answer(respond: (scope: Scope) => Promise<void>, search = ''): Promise<FakeExchange> {
    const exchange = new FakeExchange('/x', { search })
    await respond(scopeOf(t, exchange, 'get'))
    return exchange
  }
  const object = (output: Output, search = '', code = 200) =>
    answer(
      async scope => respondObject(scope, formOf(output), code, { stored: await t.store.get(t.served(), 'ns', 'a', '', NEVER) }),
      search,
    )
  const list = (output: Output, search = '', namespace = 'ns', limit = 0) =>
    answer(
      async scope => respondList(scope, formOf(output), await t.store.list(t.served(), namespace, listOptions({ limit }), NEVER)),
      search,
    )

  const objects: [string, Output, search: string, expected: string][] = [
    ['an object', plain, '', `{${TYPE}${A}\n`],
    ['an object as a Table', as('Table'), '', tableOf('3', row('a', partial('a', '3')))],
    ['a Table without objects', as('Table'), 'includeObject=None', tableOf('3', row('a', 'null'))],
    ['a Table with objects', as('Table'), 'includeObject=Object', tableOf('3', row('a', `{${TYPE}${A}`))],
    ['its metadata', as('PartialObjectMetadata'), '', `${partial('a', '3')}\n`],
  ]
  for (const [what, output, search, expected] of objects)
    it(`have ${what}`, async () => {
      const { text, status, contentType } = await object(output, search, 201)
      expect(text).to.equal(expected)
      expect([status, contentType]).to.deep.equal([201, 'application/json'])
    })

  const lists: [string, Output, namespace: string, expected: string][] = [
    ['a list', plain, 'ns', `{${LIST}"metadata":{"resourceVersion":"5"},"items":[{${A},{${B}]}\n`],
    ['an empty list', plain, 'other', `{${LIST}"metadata":{"resourceVersion":"5"},"items":[]}\n`],
    ['a list as a Table', as('Table'), 'ns', tableOf('5', `${row('a', partial('a', '3'))},${row('b', partial('b', '5'))}`)],
    ['an empty Table', as('Table'), 'other', tableOf('5', '')],
    [
      'the metadata of a list',
      as('PartialObjectMetadataList'),
      'ns',
      `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"items":[${partial('a', '3')},${partial('b', '5')}]}\n`,
    ],
  ]
  for (const [what, output, namespace, expected] of lists)
    it(`have ${what}`, async () => expect((await list(output, '', namespace)).text).to.equal(expected))

  it('have the continue token and remaining count in the metadata of a list', async () => {
    const { metadata, items } = (await list(plain, '', 'ns', 1)).json as { metadata: { continue?: string }; items: unknown[] }
    expect(items).to.have.length(1)
    expect(Object.keys(metadata)).to.deep.equal(['resourceVersion', 'continue', 'remainingItemCount'])
  })

  it('are indented for people', async () => {
    expect((await object({ mediaType: JSON_TYPE, pretty: true })).text).to.match(
      /^\{\n {2}"kind": "Widget",\n {2}"apiVersion": "example\.io\/v1",\n {2}"metadata": \{\n/,
    )
    expect((await list({ mediaType: JSON_TYPE, pretty: true })).text).to.equal(
      `${JSON.stringify((await list(plain)).json, null, 2).replace(/[<>]/g, c => (c === '<' ? '\\u003c' : '\\u003e'))}\n`,
    )
  })

  it('are YAML on request', async () => {
    const { text, contentType } = await object({ mediaType: YAML_TYPE, pretty: false })
    expect(contentType).to.equal('application/yaml')
    expect(text).to.match(/^apiVersion: example\.io\/v1\nkind: Widget\nmetadata:\n {2}creationTimestamp: "2026-01-02T03:04:05Z"\n/)
    expect((await list({ mediaType: YAML_TYPE, pretty: false })).text).to.match(/^apiVersion: example\.io\/v1\nitems:\n- metadata:\n/)
  })

  it('are protobuf on request', async () => {
    const binary: Output = { mediaType: PROTOBUF_TYPE, pretty: false }
    const { hub } = t.served().definition
    const one = await object(binary)
    expect(one.contentType).to.equal(PROTOBUF_TYPE)
    const { kind, apiVersion, message } = unwrap(one.body!)
    expect([kind, apiVersion]).to.deep.equal(['Widget', 'example.io/v1'])
    expect(decodeMessage(hub.schema, message)).to.have.nested.property('metadata.resourceVersion', '3')
    expect(unwrap((await list(binary)).body!).kind).to.equal('WidgetList')
    expect(unwrap((await object(as('PartialObjectMetadata', PROTOBUF_TYPE))).body!)).to.include({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
    })
    expect(unwrap((await list(as('PartialObjectMetadataList', PROTOBUF_TYPE))).body!).kind).to.equal('PartialObjectMetadataList')
  })

  it('have swapped fields in the v1beta1 list of metadata', async () => {
    const output: Output = {
      mediaType: PROTOBUF_TYPE,
      pretty: false,
      as: { kind: 'PartialObjectMetadataList', group: 'meta.k8s.io', version: 'v1beta1' },
    }
    const schema = builtinTypes.type('metaV1beta1.PartialObjectMetadataList')
    const { apiVersion, message } = unwrap((await list(output)).body!)
    expect(apiVersion).to.equal('meta.k8s.io/v1beta1')
    expect(decodeMessage(schema, message)).to.deep.nested.include({
      'metadata.resourceVersion': '5',
      'items[0].metadata.name': 'a',
      'items[1].metadata.name': 'b',
    })
  })

  it('are CBOR on request', async () => {
    const binary: Output = { mediaType: CBOR_TYPE, pretty: false }
    const read = ({ body, contentType }: FakeExchange) => {
      expect(contentType).to.equal(CBOR_TYPE)
      expect(body!.subarray(0, 3).toString('hex')).to.equal('d9d9f7')
      return parseCbor(body!).value
    }
    expect(read(await object(binary))).to.deep.equal((await object(plain)).json)
    expect(read(await list(binary))).to.deep.equal((await list(plain)).json)
    expect(read(await list(binary, '', 'other'))).to.deep.equal((await list(plain, '', 'other')).json)
    expect(read(await object(as('PartialObjectMetadata', CBOR_TYPE)))).to.deep.equal((await object(as('PartialObjectMetadata'))).json)
    expect(read(await list(as('PartialObjectMetadataList', CBOR_TYPE)))).to.deep.equal((await list(as('PartialObjectMetadataList'))).json)
    const { body } = await list(binary)
    expect(body!.includes(await itemBytes())).to.equal(true)
  })

  /** Members of a list's object other than kind and apiVersion. */
  async function itemBytes(): Promise<Buffer> {
    const stored = await t.store.get(t.served(), 'ns', 'a', '', NEVER)
    return encodeCbor(t.served().version.schema, stored.object() as unknown as JsonObject, false)
  }

  it('repeat the spelling of protobuf in the request', async () => {
    const { contentType, body } = await object({ mediaType: NEUTRAL_PROTOBUF_TYPE, pretty: false })
    expect(contentType).to.equal(NEUTRAL_PROTOBUF_TYPE)
    expect(unwrap(body!).kind).to.equal('Widget')
  })

  it('normalize objects that are not stored', async () => {
    const shuffled = {
      kind: 'Widget',
      apiVersion: 'example.io/v1',
      status: {},
      spec: { color: '', parts: [] },
      metadata: { name: 'x', creationTimestamp: null },
    }
    expect((await answer(scope => respondObject(scope, formOf(plain), 200, { object: shuffled }))).text).to.equal(
      `{${TYPE}"metadata":{"name":"x","creationTimestamp":null},"spec":{},"status":{}}\n`,
    )
  })

  it('list objects that are not stored', async () => {
    const { kind: _kind, apiVersion: _apiVersion, ...bare } = t.widget({ name: 'x' })
    const items = [bare as KubeObject]
    expect((await answer(scope => respondPlainList(scope, formOf(plain), items))).text).to.equal(
      `{${LIST}"metadata":{},"items":[{"metadata":{"name":"x","creationTimestamp":null},"spec":{"size":1},"status":{}}]}\n`,
    )
    expect((await answer(scope => respondPlainList(scope, formOf(as('Table')), items))).json).to.have.nested.property(
      'rows[0].object.kind',
      'PartialObjectMetadata',
    )
    expect(await refusalText(answer(scope => respondPlainList(scope, formOf(as('PartialObjectMetadataList')), items)))).to.match(
      /^406 NotAcceptable: only the following/,
    )
  })

  it('send a Status', async () => {
    const status = {
      kind: 'Status' as const,
      apiVersion: 'v1' as const,
      metadata: {},
      status: 'Success' as const,
      details: { name: 'a', kind: 'widgets', uid: 'u' },
    }
    expect((await answer(scope => respondStatus(scope, formOf(plain), 200, status))).text).to.equal(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"widgets","uid":"u"}}\n',
    )
    expect(
      unwrap((await answer(scope => respondStatus(scope, formOf({ mediaType: PROTOBUF_TYPE, pretty: false }), 200, status))).body!).kind,
    ).to.equal('Status')
  })

  const refused: [string, () => Promise<unknown>, string][] = [
    [
      'an object as a list',
      () => object(as('PartialObjectMetadataList')),
      '406 NotAcceptable: you requested PartialObjectMetadataList, but the requested object is not a list (*example.Widget)',
    ],
    [
      'a list as an object',
      () => list(as('PartialObjectMetadata')),
      '406 NotAcceptable: you requested PartialObjectMetadata, but the requested object is a list (*example.WidgetList)',
    ],
    [
      'a Table with something else',
      () => list(as('Table'), 'includeObject=Odd'),
      `400 BadRequest: Unable to convert to Table as requested: includeObject: Invalid value: "Odd": must be 'Metadata', 'Object', 'None', or empty`,
    ],
  ]
  for (const [what, run, text] of refused) it(`refuse ${what}`, async () => expect(await refusalText(run())).to.equal(text))
})
