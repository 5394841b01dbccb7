import { expect } from 'chai'
import type { KubeObject } from '../../../src/meta/object.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { normalized } from '../../../src/registry/convert.ts'
import { revision } from '../../../src/storage/revision.ts'
import { widgetResource } from '../../support/test-registry.ts'

const definition = widgetResource()
const codec = codecOf(definition, 'one')
const at = revision(7)
const widget = (more: object = {}): KubeObject => ({ kind: 'Widget', apiVersion: 'example.io/v1', metadata: { name: 'a', creationTimestamp: null }, ...more })

describe('objects as they are stored', () => {
  const stored: [string, KubeObject, string][] = [
    ['nothing empty', widget({ spec: { parts: [], color: '' }, status: {} }), '"spec":{},"status":{}'],
    [
      'members in Go’s order, whatever a hook made of it',
      widget({ status: { phase: 'x' }, spec: { color: 'b', size: 1 } }),
      '"spec":{"size":1,"color":"b"},"status":{"phase":"x"}',
    ],
    ['no version', widget({ metadata: { resourceVersion: '5', name: 'a', creationTimestamp: null } }), '"spec":{},"status":{}'],
    ['nothing that the schema does not know', widget({ extra: 1, spec: { other: 2 } }), '"spec":{},"status":{}'],
    ['escapes as Go’s', widget({ spec: { color: '<&>' } }), '"spec":{"color":"\\u003c\\u0026\\u003e"},"status":{}'],
  ]
  for (const [what, object, rest] of stored)
    it(`have ${what}`, () => {
      const before = JSON.stringify(object)
      const text = codec.encode(object).toString()
      expect(text.trimEnd()).to.equal(`{"kind":"Widget","apiVersion":"example.io/v1","metadata":{"name":"a","creationTimestamp":null},${rest}}`)
      expect(JSON.stringify(object)).to.equal(before)
    })

  it('come back with the revision put in, as text and as objects', () => {
    const bytes = codec.encode(widget({ spec: { size: 3 } }))
    const { bytes: json, verbatim, header } = codec.json(bytes, at)
    expect(json.toString()).to.equal(
      '{"kind":"Widget","apiVersion":"example.io/v1","metadata":{"name":"a","resourceVersion":"7","creationTimestamp":null},"spec":{"size":3},"status":{}}',
    )
    expect(verbatim).to.equal(true)
    expect(json.subarray(header).toString()).to.match(/^"metadata"/)
    expect(codec.decode(bytes, at)).to.deep.equal(JSON.parse(json.toString()))
  })

  it('are read, defaulted and pruned where another program wrote them', () => {
    const foreign = Buffer.from('{"apiVersion":"example.io/v1","kind":"Widget","spec":{"color":"b","odd":1},"metadata":{"name":"a"}}\n')
    expect(codec.json(foreign, at)).to.have.property('verbatim', false)
    expect(codec.decode(foreign, at)).to.deep.equal({
      kind: 'Widget',
      apiVersion: 'example.io/v1',
      metadata: { name: 'a', resourceVersion: '7', creationTimestamp: null },
      spec: { size: 1, color: 'b' },
      status: {},
    })
    expect(JSON.parse(codec.json(foreign, at).bytes.toString())).to.deep.equal(codec.decode(foreign, at))
  })

  it('are read anew where an older program or schema wrote them', () => {
    const bytes = codec.encode(widget())
    expect(codecOf(definition, 'two').json(bytes, at)).to.have.property('verbatim', false)
    expect(codecOf(definition, 'two').decode(bytes, at).spec).to.deep.equal({ size: 1 })
    expect(codec.decode(bytes, at).spec).to.deep.equal({})
  })

  it('are found by name, namespace, labels and the fields of the kind', () => {
    const metadata = { name: 'a', namespace: 'ns', labels: { x: 'y' } }
    expect(codec.attributes(widget({ metadata, spec: { color: 'red' } }))).to.deep.equal({
      namespace: 'ns',
      name: 'a',
      labels: { x: 'y' },
      fields: { 'metadata.name': 'a', 'metadata.namespace': 'ns', 'spec.color': 'red' },
    })
    expect(codec.attributes(widget())).to.deep.include({ labels: {}, namespace: '' })
  })

  it('keep kind and apiVersion when they are normalised', () => {
    expect(Object.keys(normalized(definition.home, widget({ status: {} })))).to.deep.equal(['kind', 'apiVersion', 'metadata', 'spec', 'status'])
  })
})
