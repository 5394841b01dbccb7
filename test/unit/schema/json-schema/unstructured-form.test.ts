import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../../../src/api/meta/object.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { DecodeError, decode, decodeInSteps } from '../../../../src/schema/decode.ts'
import { applyDefaults } from '../../../../src/schema/default.ts'
import { customStruct } from '../../../../src/schema/json-schema/custom-struct.ts'
import { unstructuredForm } from '../../../../src/schema/json-schema/unstructured-form.ts'

const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string', default: 'd' },
        n: { type: 'string', nullable: true },
        p: { type: 'string' },
        l: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer', default: 3 } } } },
        e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
}
const form = unstructuredForm({ group: 'g.dev', kind: 'W', schemas: new Map([['v1', schema]]), preserveUnknown: false }, 'v1')
const object = (more: object = {}) => ({ apiVersion: 'g.dev/v1', kind: 'W', metadata: { name: 'w' }, ...more })

const struct = customStruct(schema, { kind: 'W', definition: 'dev.g.v1.W', form })
const read = (value: Json, onUnknown?: (path: string) => void) => decode(struct, value, onUnknown && { onUnknown })

describe('unstructuredForm', () => {
  it('removes unknown members and reports their paths', () => {
    const told: string[] = []
    const value = read(object({ extra: 1, spec: { a: 'x', z: 1, l: [{ x: 1 }, { y: 2 }] }, metadata: { name: 'w', foo: 1 } }), path =>
      told.push(path),
    )
    expect(value).to.deep.equal(object({ spec: { a: 'x', l: [{ x: 1 }, {}] } }))
    expect(told).to.deep.equal(['metadata.foo', 'extra', 'spec.l[1].y', 'spec.z'])
  })

  it('removes nulls that are not nullable and have no default', () => {
    expect(read(object({ spec: { a: null, n: null, p: null } }))).to.deep.equal(object({ spec: { a: null, n: null } }))
  })

  it('sets defaults, also within lists and for nulls', () => {
    const value = object({ spec: { a: null, l: [{}, { x: 1 }] } })
    applyDefaults(struct, value)
    expect(value).to.deep.equal(object({ spec: { a: 'd', l: [{ x: 3 }, { x: 1 }] } }))
  })

  it('coerces the metadata of embedded objects', () => {
    const told: string[] = []
    const embedded = { kind: 'P', apiVersion: 'v1', metadata: { name: 'e', odd: 1, creationTimestamp: null }, any: 1 }
    const { spec } = read(object({ spec: { e: embedded } }), path => told.push(path))
    expect(spec).to.deep.equal({ e: { kind: 'P', apiVersion: 'v1', metadata: { name: 'e' }, any: 1 } })
    expect(told).to.deep.equal(['spec.e.metadata.odd'])
  })

  it('reads wide values in steps', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, null]))
    const steps = decodeInSteps(struct, object({ spec: { a: 'x', e: { kind: 'P', apiVersion: 'v1', metadata: {}, wide } } }))
    let count = 0
    while (!steps.next().done) count++
    // The value is copied and searched for nulls, each with a step for some 512 members.
    expect(count).to.be.greaterThan(2 * 30)
  })

  it('keeps all members of an object of another kind', () => {
    const other = { ...object({ extra: 1 }), kind: 'Other' }
    expect(read(other)).to.deep.equal(other)
  })

  it('removes all members of an object of a missing version', () => {
    expect(read({ ...object({ spec: { a: '1' } }), apiVersion: 'g.dev/v9' })).to.deep.equal({ ...object(), apiVersion: 'g.dev/v9' })
  })

  it('does not modify its argument', () => {
    const value = object({ spec: { z: 1 } })
    read(value)
    expect(value).to.deep.equal(object({ spec: { z: 1 } }))
  })

  for (const [what, wrong] of [
    ['a label that is a number', object({ metadata: { labels: { a: 1 } } })],
    ['metadata that is a text', object({ metadata: 'x' })],
    ['a kind that is a number', { ...object(), kind: 1 }],
  ] as const) {
    it(`refuses ${what}`, () => expect(() => read(wrong)).to.throw(DecodeError))
  }

  it('drops malformed members of stored metadata, and sets its generation', () => {
    const stored = object({ metadata: { name: 'w', labels: { a: 1, b: 'c' }, finalizers: 5 } })
    expect(runAtOnce(form.readStored(struct, stored)).metadata).to.deep.equal({
      name: 'w',
      labels: { b: 'c' },
      generation: 1,
    })
  })

  it('has another id than a form with another schema', () => {
    const other = unstructuredForm(
      { group: 'g.dev', kind: 'W', schemas: new Map([['v1', { type: 'object' }]]), preserveUnknown: false },
      'v1',
    )
    expect(other.id).not.to.equal(form.id)
  })

  it('decodes in steps of one walk each', () => {
    expect([...decodeInSteps(struct, object({ spec: { a: 'x' } }))]).to.have.length.of.at.least(4)
  })
})
