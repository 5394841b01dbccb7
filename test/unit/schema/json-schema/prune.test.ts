import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../../../src/api/meta/object.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { prune } from '../../../../src/schema/json-schema/prune.ts'

const text: JsonSchemaProps = { type: 'string' }
const keep = { 'x-kubernetes-preserve-unknown-fields': true } as const

const table: Record<string, [schema: JsonSchemaProps, value: Json, pruned: Json]> = {
  'members that are not named': [{ properties: { a: text } }, { a: 'x', b: 1 }, { a: 'x' }],
  'members of members': [{ properties: { a: { properties: { b: text } } } }, { a: { b: 'x', c: 1 } }, { a: { b: 'x' } }],
  'members of items': [{ properties: { l: { items: { properties: { b: text } } } } }, { l: [{ b: 'x', c: 1 }, 1] }, { l: [{ b: 'x' }, 1] }],
  'members of values': [{ additionalProperties: { properties: { b: text } } }, { k: { b: 'x', c: 1 } }, { k: { b: 'x' } }],
  'preserved members': [keep, { a: { b: 1 }, l: [{ c: 1 }] }, { a: { b: 1 }, l: [{ c: 1 }] }],
  'preserved members, except named ones': [
    { ...keep, properties: { a: { properties: {} } } },
    { a: { b: 1 }, c: { d: 1 } },
    { a: {}, c: { d: 1 } },
  ],
  'items of a list that keeps': [{ ...keep, items: { properties: { a: {} } } }, [{ a: { x: 1 }, b: 1 }], [{ a: {}, b: 1 }]],
  'an object of the API': [
    { 'x-kubernetes-embedded-resource': true },
    { kind: 'K', apiVersion: 'v1', metadata: { x: 1 }, spec: 1 },
    { kind: 'K', apiVersion: 'v1', metadata: { x: 1 } },
  ],
  'names of the prototype': [{ properties: { a: text } }, { constructor: 1, toString: 'x' }, {}],
}

describe('pruning', () => {
  for (const [name, [schema, value, pruned]] of Object.entries(table)) {
    it(name, () => {
      const changed = JSON.stringify(value) !== JSON.stringify(pruned)
      expect(runAtOnce(prune(value, schema, schema['x-kubernetes-embedded-resource'] === true))).to.equal(changed)
      expect(value).to.deep.equal(pruned)
    })
  }
})
