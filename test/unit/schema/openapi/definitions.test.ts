import { expect } from 'chai'
import { TypeRegistry } from '../../../../src/schema/idl.ts'
import { DefinitionSet } from '../../../../src/schema/openapi/definitions.ts'
import { Descriptions } from '../../../../src/schema/openapi/descriptions.ts'

const registry = new TypeRegistry().add({
  id: 't',
  definition: 'io.k8s.api.example.v1',
  source: `
enum Protocol SCTP TCP

type Thing typemeta
  spec 2 Spec?
  self 3 *Thing?
  list 4 ThingList?

type Spec atomic
  name 1 string
  protocol 2 Protocol? = "TCP"
  replicas 3 *int32? = 1
  port 4 IntOrString?
  size 5 map[string]Quantity?
  data 6 map[string]bytes?
  parts 7 []Part? map(name,kind) merge(name) retainKeys
  tags 8 []string? set
  when 9 Time?
  ratio 10 double?
  count 11 int64
  on 12 bool
  wait 13 *Duration? deprecated
  any 14 RawExtension?
  part 15 *Part? granular

type Part
  name 1 string
  kind 2 string?

type ThingList nodefinition
  items 2 []Part
`,
})

const texts: Readonly<Record<string, string>> = {
  example: `
Thing: a thing
Spec: what it is to be
  name: its name
`,
  meta: `
TypeMeta: of every kind
  kind: its kind
Time: a time
`,
}

const render = (version: 2 | 3) => {
  const set = new DefinitionSet(version, new Descriptions(group => texts[group] ?? ''))
  const reference = set.refer(registry.type('t.Thing'))
  return {
    reference,
    definitions: Object.fromEntries([...set.entries()].filter(entry => entry !== undefined)) as Record<
      string,
      { properties: Record<string, unknown>; required?: string[]; [key: string]: unknown }
    >,
  }
}

describe('OpenAPI definitions', () => {
  const v2 = render(2)
  const v3 = render(3)
  const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity'

  it('are collected by name, with those that they refer to', () => {
    expect(v2.reference).to.deep.equal({ $ref: '#/definitions/io.k8s.api.example.v1.Thing' })
    expect(v3.reference).to.deep.equal({ $ref: '#/components/schemas/io.k8s.api.example.v1.Thing' })
    expect(Object.keys(v3.definitions)).to.deep.equal([
      'io.k8s.api.example.v1.Part',
      'io.k8s.api.example.v1.Spec',
      'io.k8s.api.example.v1.Thing',
      'io.k8s.apimachinery.pkg.api.resource.Quantity',
      'io.k8s.apimachinery.pkg.apis.meta.v1.Duration',
      'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
      'io.k8s.apimachinery.pkg.runtime.RawExtension',
      'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    ])
  })

  it('describe the members of every object', () => {
    const { properties, ...thing } = v3.definitions['io.k8s.api.example.v1.Thing'] ?? { properties: {} }
    expect(thing).to.deep.equal({ description: 'a thing', type: 'object' })
    expect(Object.keys(properties)).to.deep.equal(['apiVersion', 'kind', 'list', 'self', 'spec'])
    expect(properties).to.deep.include({ apiVersion: { type: 'string' }, kind: { type: 'string', description: 'its kind' } })
    expect(v3.definitions['io.k8s.apimachinery.pkg.apis.meta.v1.Time']).to.include({ description: 'a time' })
    expect(v3.definitions['io.k8s.api.example.v1.Spec']).to.include({ 'x-kubernetes-map-type': 'atomic' })
    expect(v3.definitions['io.k8s.api.example.v1.Spec']?.required).to.deep.equal(['name', 'count', 'on'])
  })

  const properties: [string, object, object][] = [
    ['name', { description: 'its name', type: 'string' }, { description: 'its name', default: '', type: 'string' }],
    ['protocol', { type: 'string', enum: ['SCTP', 'TCP'] }, { default: 'TCP', type: 'string', enum: ['SCTP', 'TCP'] }],
    ['replicas', { type: 'integer', format: 'int32' }, { default: 1, type: 'integer', format: 'int32' }],
    ['count', { type: 'integer', format: 'int64' }, { default: 0, type: 'integer', format: 'int64' }],
    ['on', { type: 'boolean' }, { default: false, type: 'boolean' }],
    ['ratio', { type: 'number', format: 'double' }, { type: 'number', format: 'double' }],
    [
      'port',
      { $ref: '#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString' },
      { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString' }] },
    ],
    [
      'size',
      { type: 'object', additionalProperties: { $ref: `#/definitions/${quantity}` } },
      { type: 'object', additionalProperties: { $ref: `#/components/schemas/${quantity}` } },
    ],
    [
      'data',
      { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
      { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
    ],
    [
      'tags',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      { type: 'array', items: { type: 'string', default: '' }, 'x-kubernetes-list-type': 'set' },
    ],
    [
      'parts',
      {
        type: 'array',
        items: { $ref: '#/definitions/io.k8s.api.example.v1.Part' },
        'x-kubernetes-list-map-keys': ['name', 'kind'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge,retainKeys',
      },
      {
        type: 'array',
        items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.example.v1.Part' }] },
        'x-kubernetes-list-map-keys': ['name', 'kind'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge,retainKeys',
      },
    ],
    [
      'part',
      { $ref: '#/definitions/io.k8s.api.example.v1.Part', 'x-kubernetes-map-type': 'granular' },
      { allOf: [{ $ref: '#/components/schemas/io.k8s.api.example.v1.Part' }], 'x-kubernetes-map-type': 'granular' },
    ],
  ]
  for (const [name, two, three] of properties) {
    it(name, () => {
      expect(v2.definitions['io.k8s.api.example.v1.Spec']?.properties[name]).to.deep.equal(two)
      expect(v3.definitions['io.k8s.api.example.v1.Spec']?.properties[name]).to.deep.equal(three)
    })
  }

  it('do not modify a type by the marks of a field', () => {
    expect(v3.definitions['io.k8s.api.example.v1.Part']).to.not.have.property('x-kubernetes-map-type')
  })

  it('inline a struct without a name', () => {
    expect(v3.definitions['io.k8s.api.example.v1.Thing']?.properties.list).to.deep.equal({
      default: {},
      type: 'object',
      required: ['items'],
      properties: {
        items: { type: 'array', items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.example.v1.Part' }] } },
      },
    })
  })

  it('describe special forms as the version allows', () => {
    expect(v2.definitions[quantity]).to.deep.include({ type: 'string' })
    expect(v3.definitions[quantity]).to.deep.include({ oneOf: [{ type: 'string' }, { type: 'number' }] })
  })
})
