import { expect } from 'chai'
import { CBOR_TYPE, JSON_TYPE, NEUTRAL_PROTOBUF_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../../../../src/codec/accept-header.ts'
import { formOf, PLAIN_FORM } from '../../../../src/endpoints/forms/form-of.ts'
import type { StoredObject } from '../../../../src/storage/storage.ts'
import { bytesOf, FakeExchange, scopeOf } from '../../../support/exchange.ts'
import { NEVER, TestRegistry } from '../../../support/test-registry.ts'

const as = (kind: string) => ({ kind, group: 'meta.k8s.io', version: 'v1' })

describe('formOf', () => {
  const t = new TestRegistry()
  let stored: StoredObject
  before(async () => {
    await t.create({ name: 'a' })
    stored = await t.store.get(t.served(), 'ns', 'a', '', NEVER)
  })
  const scope = () => scopeOf(t, new FakeExchange('/x'), 'get')

  // Media type, view → Content-Type of a response and of a watch (none: watches are not supported), and the beginning
  // of an object's body.
  const forms: [mediaType: string, pretty: boolean, view: string, stream: string, begins: string][] = [
    [JSON_TYPE, false, '', JSON_TYPE, '{"kind":"Widget"'],
    [JSON_TYPE, true, '', JSON_TYPE, '{\n  "kind": "Widget"'],
    [YAML_TYPE, false, '', '', 'apiVersion: example.io/v1\nkind: Widget'],
    [PROTOBUF_TYPE, false, '', `${PROTOBUF_TYPE};stream=watch`, 'k8s\0'],
    [NEUTRAL_PROTOBUF_TYPE, false, '', `${NEUTRAL_PROTOBUF_TYPE};stream=watch`, 'k8s\0'],
    [CBOR_TYPE, false, '', 'application/cbor-seq', '\xd9\xd9\xf7'],
    [JSON_TYPE, false, 'Table', JSON_TYPE, '{"kind":"Table"'],
    [JSON_TYPE, true, 'Table', JSON_TYPE, '{\n  "kind": "Table"'],
    [YAML_TYPE, false, 'Table', '', 'apiVersion: meta.k8s.io/v1\ncolumnDefinitions'],
    [JSON_TYPE, false, 'PartialObjectMetadata', JSON_TYPE, '{"kind":"PartialObjectMetadata"'],
    [YAML_TYPE, false, 'PartialObjectMetadata', '', 'apiVersion: meta.k8s.io/v1\nkind: PartialObjectMetadata'],
    [PROTOBUF_TYPE, false, 'PartialObjectMetadata', `${PROTOBUF_TYPE};stream=watch`, 'k8s\0'],
    [CBOR_TYPE, false, 'PartialObjectMetadata', 'application/cbor-seq', '\xd9\xd9\xf7'],
  ]
  for (const [mediaType, pretty, view, stream, begins] of forms)
    it(`${mediaType}${pretty ? ', indented' : ''}${view === '' ? '' : ` as ${view}`}`, async () => {
      const form = formOf({ mediaType, pretty, ...(view !== '' && { as: as(view) }) })
      expect(form.contentType).to.equal(mediaType)
      const body = bytesOf(await form.stored(scope(), stored)).toString('latin1')
      expect(body.slice(0, begins.length)).to.equal(begins)
      if (stream !== '') expect(form.framing(scope()).contentType).to.equal(stream)
      expect(form.withoutInitialEnd === true).to.equal(view === 'Table')
    })

  it('returns the plain form by default', async () => {
    const of = async (form: typeof PLAIN_FORM) => bytesOf(await form.stored(scope(), stored)).toString()
    expect(await of(formOf({ mediaType: JSON_TYPE, pretty: false }))).to.equal(await of(PLAIN_FORM))
  })
})
