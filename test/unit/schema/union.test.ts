import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { encodeJsonText } from '../../../src/codec/json.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { encodeMessage } from '../../../src/codec/protobuf-encode.ts'
import { decode } from '../../../src/schema/decode.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import { DefinitionSet } from '../../../src/schema/openapi/definitions.ts'
import { Descriptions } from '../../../src/schema/openapi/descriptions.ts'

const props = new TypeRegistry()
  .add({
    id: 't',
    definition: 'io.k8s.api.example.v1',
    source: `
union OrBool Props boolean
union OrList Props list
union OrStrings Props strings

type Props
  name 1 string?
  count 2 *int64?
  extra 3 *OrBool?
  items 4 *OrList?
  needs 5 map[string]OrStrings?
  any 6 *JSON?
  options 7 []JSON?
`,
  })
  .type('t.Props')

/** Values with their decoded form. */
const table: Record<string, [value: JsonObject, decoded: JsonObject]> = {
  'a boolean that is true': [{ extra: true }, { extra: true }],
  'a boolean that is false': [{ extra: false }, { extra: false }],
  'a struct for a boolean, in declared order': [{ extra: { count: 1, name: 'x' } }, { extra: { name: 'x', count: 1 } }],
  'a struct that is empty': [{ extra: {} }, { extra: {} }],
  'null for a pointer': [{ extra: null, items: null, any: null }, {}],
  'one struct for a list': [{ items: { name: 'x' } }, { items: { name: 'x' } }],
  'a list of structs': [{ items: [{ name: 'x' }, null] }, { items: [{ name: 'x' }, {}] }],
  'a list of strings': [{ needs: { b: ['x'], a: { name: 'y' } } }, { needs: { a: { name: 'y' }, b: ['x'] } }],
  'neither a struct nor a list': [{ needs: { a: 'x', b: [] } }, { needs: { a: null, b: null } }],
  'depth after depth': [{ extra: { items: [{ extra: { name: 'x' } }] } }, { extra: { items: [{ extra: { name: 'x' } }] } }],
  'any JSON, its members sorted': [{ any: { b: [{ d: 1, c: null }], a: {} } }, { any: { a: {}, b: [{ c: null, d: 1 }] } }],
  'any JSON in a list': [{ options: [1, 'x', null, { b: 1, a: 2 }] }, { options: [1, 'x', null, { a: 2, b: 1 }] }],
}

describe('a value of two JSON forms', () => {
  for (const [name, [value, decoded]] of Object.entries(table)) {
    it(`is decoded: ${name}`, () => expect(JSON.stringify(decode(props, value))).to.equal(JSON.stringify(decoded)))
    it(`is the same in protobuf: ${name}`, () => {
      const again = decode(props, decodeMessage(props, encodeMessage(props, decode(props, value))))
      expect(again).to.deep.equal(decode(props, decoded))
    })
    it(`is written: ${name}`, () => {
      const reversed = (json: Json): Json => {
        if (typeof json !== 'object' || json === null) return json
        if (Array.isArray(json)) return json.map(reversed)
        return Object.fromEntries(
          Object.entries(json)
            .reverse()
            .map(([key, member]) => [key, reversed(member)]),
        )
      }
      expect(encodeJsonText(props, reversed(decoded) as JsonObject)).to.equal(JSON.stringify(decoded))
    })
  }

  it('is read once, at any depth and in any order', () => {
    let value: JsonObject = { name: 'x' }
    for (let i = 0; i < 60; i++) value = { needs: { b: value, a: {} }, any: { b: 1, a: 2 }, name: 'y' }
    let depth = 0
    for (let at = decode(props, value) as { needs?: { b: typeof at } }; at.needs; at = at.needs.b) depth++
    expect(depth).to.equal(60)
  })

  it('has the fields of its message', () => {
    const bytes = (value: JsonObject): string => Buffer.from(encodeMessage(props, value)).toString('hex')
    expect(bytes({ extra: { name: 'x' } })).to.equal('0a00' + '1a07' + '0801' + '1203' + '0a0178')
    expect(bytes({ items: [{ name: 'x' }] })).to.equal('0a00' + '2205' + '1203' + '0a0178')
    expect(bytes({ items: { name: 'x' } })).to.equal('0a00' + '2205' + '0a03' + '0a0178')
  })

  it('does not report unknown members within it', () => {
    const told: string[] = []
    decode(props, { x: 1, extra: { y: 1 }, items: [{ z: 1 }] }, { onUnknown: path => told.push(path) })
    expect(told).to.deep.equal(['x'])
  })

  const errors: [Json, string][] = [
    [{ extra: 'x' }, 'boolean or JSON schema expected'],
    [{ extra: [] }, 'boolean or JSON schema expected'],
    [{ extra: { count: 'x' } }, 'json: cannot unmarshal string into Go struct field Props.extra of type int64'],
    [{ items: { extra: { name: 1 } } }, 'json: cannot unmarshal number into Go struct field Props.items of type string'],
    [{ needs: { a: [1] } }, 'json: cannot unmarshal number into Go struct field Props.needs of type string'],
  ]
  for (const [value, text] of errors) it(text, () => expect(() => decode(props, value)).to.throw(text))

  it('has a definition without a type', () => {
    const set = new DefinitionSet(3, new Descriptions(group => (group === 'example' ? 'OrBool: a schema or not' : '')))
    set.refer(props)
    const definitions = Object.fromEntries([...set.entries()].filter(entry => entry !== undefined))
    expect(definitions['io.k8s.api.example.v1.OrBool']).to.deep.equal({ description: 'a schema or not' })
    expect(definitions['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON']).to.not.have.property('type')
    expect((definitions['io.k8s.api.example.v1.Props']?.properties as JsonObject | undefined)?.extra).to.deep.equal({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.example.v1.OrBool' }],
    })
  })
})
