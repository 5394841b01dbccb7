import { expect } from 'chai'
import {
  difference,
  EMPTY,
  ensureNamedFieldsAreMembers,
  equals,
  type FieldSet,
  fieldSetOf,
  fromFieldsV1,
  has,
  intersection,
  isEmpty,
  leaves,
  pathsOf,
  recursiveDifference,
  toFieldsV1,
  union,
} from '../../../src/apply/field-set.ts'
import { printElement } from '../../../src/apply/path-element.ts'
import type { JsonObject } from '../../../src/meta/object.ts'
import { types } from '../../../src/resources/types.ts'
import { fixture } from './fixture.ts'

interface Row {
  type: string
  a: JsonObject
  b: JsonObject
  union: JsonObject
  intersection: JsonObject
  difference: JsonObject
  recursiveDifference: JsonObject
  leaves: JsonObject
  named: JsonObject
  equal: boolean
  paths: string[]
}

/** Compares the order of members, too. */
const same = (got: FieldSet, want: JsonObject): void => {
  expect(JSON.stringify(got)).to.equal(JSON.stringify(want))
}
const set = (text: string): FieldSet => fromFieldsV1(JSON.parse(text) as JsonObject)

describe('field sets', () => {
  describe('do as the reference implementation', () => {
    for (const [i, row] of fixture<Row>('field-sets').entries())
      it(`of ${row.type}, ${i}`, () => {
        const inputs = structuredClone(row)
        const a = fromFieldsV1(row.a)
        const b = fromFieldsV1(row.b)
        same(a, row.a)
        same(union(a, b), row.union)
        same(union(b, a), row.union)
        same(intersection(a, b), row.intersection)
        same(difference(a, b), row.difference)
        same(recursiveDifference(a, b), row.recursiveDifference)
        same(leaves(a), row.leaves)
        same(ensureNamedFieldsAreMembers(a, types.type(row.type)), row.named)
        expect(equals(a, b)).to.equal(row.equal)
        expect([...pathsOf(a)].map(path => path.map(printElement).join(''))).to.deep.equal(row.paths)
        for (const path of pathsOf(a)) expect(has(a, path)).to.equal(true)
        expect(equals(union(a, b), union(b, a))).to.equal(true)
        expect(row).to.deep.equal(inputs)
      })
  })

  const readings: [why: string, from: string, to: string][] = [
    ['sorts members', '{"f:b":{},"f:a":{}}', '{"f:a":{},"f:b":{}}'],
    [
      'puts members before keys, values and indices',
      '{"i:10":{},"i:9":{},"v:1":{},"k:{\\"a\\":1}":{},"f:z":{}}',
      '{"f:z":{},"k:{\\"a\\":1}":{},"v:1":{},"i:9":{},"i:10":{}}',
    ],
    [
      'sorts keys by value',
      '{"k:{\\"n\\":\\"b\\"}":{},"k:{\\"n\\":\\"a!\\"}":{},"k:{\\"n\\":\\"a\\"}":{}}',
      '{"k:{\\"n\\":\\"a\\"}":{},"k:{\\"n\\":\\"a!\\"}":{},"k:{\\"n\\":\\"b\\"}":{}}',
    ],
    ['sorts numbers as numbers', '{"k:{\\"p\\":80}":{},"k:{\\"p\\":9}":{}}', '{"k:{\\"p\\":9}":{},"k:{\\"p\\":80}":{}}'],
    ['sorts the fields of a key', '{"k:{\\"p\\":80, \\"n\\":\\"x\\"}":{}}', '{"k:{\\"n\\":\\"x\\",\\"p\\":80}":{}}'],
    ['takes numbers before texts before booleans', '{"v:true":{},"v:\\"a\\"":{},"v:1":{}}', '{"v:1":{},"v:\\"a\\"":{},"v:true":{}}'],
    ['needs no dot in a leaf', '{"f:a":{".":{}}}', '{"f:a":{}}'],
    ['puts the dot first', '{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    ['forgets elements of unknown kinds', '{"f:a":{},"q:b":{"f:c":{}}}', '{"f:a":{}}'],
    ['reads null as a leaf', '{"f:a":null}', '{"f:a":{}}'],
    [
      'joins what is written twice',
      '{"k:{\\"a\\":1,\\"b\\":2}":{"f:x":{}},"k:{\\"b\\":2,\\"a\\":1}":{"f:y":{}}}',
      '{"k:{\\"a\\":1,\\"b\\":2}":{"f:x":{},"f:y":{}}}',
    ],
    ['keeps names of the prototype', '{"f:__proto__":{},"f:constructor":{}}', '{"f:__proto__":{},"f:constructor":{}}'],
    ['is empty without members', '{}', '{}'],
  ]
  for (const [why, from, to] of readings) it(why, () => expect(JSON.stringify(set(from))).to.equal(to))

  for (const malformed of ['{"f":{}}', '{"fa":{}}', '{"f:a":1}', '{"f:a":[]}', '{"k:x":{}}', '{"k:1":{}}', '{"v:":{}}', '{"i:x":{}}', '{"__proto__":{}}'])
    it(`refuses ${malformed}`, () => expect(() => set(malformed)).to.throw(Error))

  it('reads a document once', () => {
    const document = { 'f:b': {}, 'f:a': {} }
    expect(fromFieldsV1(document)).to.equal(fromFieldsV1(document))
    const written = toFieldsV1(set('{"f:a":{}}'))
    expect(fromFieldsV1(written)).to.equal(written)
    expect(isEmpty(fromFieldsV1(null))).to.equal(true)
  })

  it('is made of names', () => {
    same(fieldSetOf([['metadata', 'name'], ['metadata'], ['spec', 'a', 'b']]), { 'f:metadata': { '.': {}, 'f:name': {} }, 'f:spec': { 'f:a': { 'f:b': {} } } })
  })

  it('shares what does not change', () => {
    const a = set('{"f:a":{"f:x":{}},"f:b":{"f:y":{}}}')
    expect(difference(a, set('{"f:z":{}}'))).to.equal(a)
    expect(difference(a, set('{"f:a":{"f:x":{}}}'))['f:b']).to.equal(a['f:b'])
    expect(union(a, EMPTY)).to.equal(a)
  })
})
