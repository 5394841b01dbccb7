import { expect } from 'chai'
import { decode } from '../../../src/schema/decode.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'

const registry = () =>
  new TypeRegistry().add({
    id: 'a',
    definition: 'io.a.v1',
    source: `
enum Protocol TCP UDP "" "a b"
type Port
  name 1 string?
  protocol 2 Protocol? = "TCP"
  port 3 int32
  type 4 *IntOrString? deprecated
type Ports typemeta
  inline 7 Port
  ports 1 []Port? map(port,protocol) merge(port) retainKeys
  limits 2 map[string]Quantity? atomic
  self 3 *Ports?
`,
  })

describe('type declarations', () => {
  it('resolve fields with their marks', () => {
    const ports = registry().type('a.Ports')
    expect([...ports.fields.keys()]).to.deep.equal(['name', 'protocol', 'port', 'type', 'ports', 'limits', 'self'])
    expect(ports.fields.get('protocol')).to.deep.include({ number: 2, required: false, omitEmpty: true, default: 'TCP' })
    expect(ports.fields.get('protocol')?.schema).to.deep.include({ enum: ['TCP', 'UDP', '', 'a b'] })
    expect(ports.fields.get('ports')).to.deep.include({ patchStrategy: 'merge,retainKeys', patchMergeKey: 'port' })
    expect(ports.fields.get('ports')?.schema).to.deep.include({ type: 'list', listType: 'map', listMapKeys: ['port', 'protocol'] })
    expect(ports.fields.get('limits')?.schema).to.deep.include({ type: 'map', mapType: 'atomic' })
    expect(ports.fields.get('port')).to.deep.include({ required: true, omitEmpty: false, pointer: false })
    expect(ports.inlines.map(i => i.number)).to.deep.equal([7])
    expect(ports.typeMeta).to.equal(true)
  })

  it('may be recursive', () => {
    const ports = registry().type('a.Ports')
    expect(ports.fields.get('self')?.schema).to.equal(ports)
  })

  it('are found by their OpenAPI name', () => {
    expect(registry().byDefinition('io.a.v1.Port')).to.deep.include({ name: 'Port', definition: 'io.a.v1.Port' })
  })

  it('reject a description, whose words could be marks', () => {
    const described = new TypeRegistry().add({ id: 'a', definition: 'io.a.v1', source: 'type Port\n  name 1 string # an optional name' })
    expect(() => described.type('a.Port').fields).to.throw('a description belongs beside the declarations:')
  })

  it('reject a missing type, and one declared twice', () => {
    expect(() => registry().type('a.Missing')).to.throw('no type a.Missing')
    expect(() => registry().add({ id: 'a', definition: 'io.a.v1', source: 'type Port\n' })).to.throw('declared twice')
  })
})

describe('types like those of another package', () => {
  const older = () =>
    registry().add({
      id: 'b',
      definition: 'io.b.v1beta1',
      source: `
types Ports like a
type Port like a.Port
  port 3 int64?
  protocol 2 string?
  name 4 string?
  added 5 bool?
`,
    })

  it('have its marks and fields, and prefer types of their own package', () => {
    const registry = older()
    const ports = registry.type('b.Ports')
    expect(ports).to.deep.include({ name: 'Ports', definition: 'io.b.v1beta1.Ports', typeMeta: true })
    expect(ports.fields.get('self')?.schema).to.equal(ports)
    expect(ports.inlines.map(inline => inline.schema)).to.deep.equal([registry.type('b.Port')])
    expect(registry.type('a.Ports').inlines.map(inline => inline.schema)).to.deep.equal([registry.type('a.Port')])
  })

  it('replace fields of the same name, and append others', () => {
    const port = older().type('b.Port')
    expect([...port.fields.values()].map(field => [field.name, field.number])).to.deep.equal([
      ['name', 4],
      ['protocol', 2],
      ['port', 3],
      ['type', 4],
      ['added', 5],
    ])
    expect(port.fields.get('protocol')).to.deep.include({ schema: { type: 'string', goType: 'string' } })
    expect(older().byDefinition('io.b.v1beta1.Port')?.fields.get('port')).to.deep.include({ required: false, omitEmpty: true })
  })

  it('may name a type of another package', () => {
    const registry = older().add({ id: 'c', definition: 'io.c.v1', source: 'type Port like b.Port\n  protocol 2 a.Protocol?' })
    expect(registry.type('c.Port').fields.get('protocol')?.schema).to.deep.include({ enum: ['TCP', 'UDP', '', 'a b'] })
  })

  it('reject a missing model', () => {
    expect(() => registry().add({ id: 'b', definition: 'io.b.v1', source: 'type Port like a.Plug' }).type('b.Port')).to.throw(
      'no type a.Plug',
    )
  })

  it('are not parsed before a type of their package is used', () => {
    const faulty = registry().add({ id: 'b', definition: 'io.b.v1', source: 'type Port\ntype Port' })
    expect(faulty.type('a.Port').name).to.equal('Port')
    expect(() => faulty.type('b.Port')).to.throw('declared twice')
  })
})

describe('markers of schemas', () => {
  const type = new TypeRegistry()
    .add({
      id: 't',
      definition: 'io.example.v1',
      source: 'type Props\n  name 1 string?\n  x-kubernetes-list-type 2 *string?\n  x-kubernetes-list-map-keys 3 []string?',
    })
    .type('t.Props')

  it('are read in their neutral spelling in any order, and written in the usual one', () => {
    const unknown: string[] = []
    const value = { 'x-svc-list-map-keys': ['k'], 'x-svc-list-type': 'map', name: 'x', 'x-svc-other': 1 }
    expect(JSON.stringify(decode(type, value, { onUnknown: path => unknown.push(path) }))).to.equal(
      '{"name":"x","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]}',
    )
    expect(unknown).to.deep.equal(['x-svc-other'])
  })
})

describe('types of a release', () => {
  const source = 'type Thing\n  always 1 string\n  later 2 string? since(1.30)\n  gone 3 string? until(1.31) = "a = since(1.9)"\n'
  const fieldsIn = (minor?: number): string[] => [
    ...new TypeRegistry(minor).add({ id: 't', definition: 'io.test', source }).type('t.Thing').fields.keys(),
  ]

  it('have the fields of the release', () => {
    expect(fieldsIn(29)).to.deep.equal(['always', 'gone'])
    expect(fieldsIn(30)).to.deep.equal(['always', 'later', 'gone'])
    expect(fieldsIn(31)).to.deep.equal(['always', 'later'])
  })

  it('have the marks, defaults and enum values of the release', () => {
    const source = `enum Level Low Middle@-1.31 Medium@1.31 ""@1.30
type Thing atomic@1.31
  levels 1 []Level? set@1.30
  name 2 string? =@1.30 "x = y"
`
    const thing = (minor?: number) => {
      const { structType, fields } = new TypeRegistry(minor).add({ id: 't', definition: 'io.test', source }).type('t.Thing')
      const levels = fields.get('levels')?.schema
      if (levels?.type !== 'list' || levels.items.type !== 'string') throw new Error('levels is a list of texts')
      return {
        structType,
        listType: levels.listType,
        unstated: levels.unstated,
        values: levels.items.enum,
        name: fields.get('name')?.default,
      }
    }
    const list = { structType: undefined, listType: 'set', unstated: undefined }
    // Elements are tracked in every release; only OpenAPI does not declare the list type.
    expect(thing(29)).to.deep.equal({ ...list, unstated: true, values: ['Low', 'Middle'], name: undefined })
    expect(thing(30)).to.deep.equal({ ...list, values: ['Low', 'Middle', ''], name: 'x = y' })
    expect(thing(31)).to.deep.equal({ ...list, structType: 'atomic', values: ['Low', 'Medium', ''], name: 'x = y' })
    expect(thing()).to.deep.equal({ ...list, structType: 'atomic', values: ['Low', 'Middle', 'Medium', ''], name: 'x = y' })
  })

  it("have the release's line of a field, also in a type that repeats it", () => {
    const source = `type Thing
  a 1 []Item? atomic until(1.34)
  a 1 []Item? map(k,l) since(1.34)
  b 2 string? until(1.35)
  b 2 string since(1.35)
type Item
  k 1 string
  l 2 string?
type Other like t.Thing
  b 2 string
`
    const other = (minor?: number) => new TypeRegistry(minor).add({ id: 't', definition: 'io.test', source }).type('t.Other')
    const listType = (minor?: number): unknown => {
      const schema = other(minor).fields.get('a')?.schema
      return schema?.type === 'list' ? schema.listType : schema
    }
    expect([33, 34, undefined].map(listType)).to.deep.equal(['atomic', 'map', 'map'])
    expect(other(33).fields.get('b')?.required).to.equal(true)
  })

  it('have the enum values of the release', () => {
    const valuesIn = (minor?: number): unknown => {
      const source = 'enum Effect "No Way" Off None@1.35\ntype Thing\n  effect 1 Effect\n'
      const schema = new TypeRegistry(minor).add({ id: 't', definition: 'io.test', source }).type('t.Thing').fields.get('effect')?.schema
      return schema?.type === 'string' ? schema.enum : schema
    }
    expect([34, 35, undefined].map(valuesIn)).to.deep.equal([
      ['No Way', 'Off'],
      ['No Way', 'Off', 'None'],
      ['No Way', 'Off', 'None'],
    ])
  })

  it('have every field without a release', () => expect(fieldsIn()).to.deep.equal(['always', 'later', 'gone']))
})
