import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import * as sets from '../../../src/apply/field-set.ts'
import { equals, fieldSetOf, hasPath, type MadeSet, pathsOf, setAtOnce } from '../../../src/apply/field-set.ts'
import { reconcile } from '../../../src/apply/ownership.ts'
import { printElement } from '../../../src/apply/path-element.ts'
import { fromFieldsV1 as read, toFieldsV1 } from '../../../src/apply/read-field-set.ts'
import { EMPTY, type FieldSet, isEmptySet } from '../../../src/apply/set-node.ts'
import { types } from '../../../src/catalog/types.ts'
import { isSteps } from '../../../src/lib/steps.ts'
import { countedSteps } from '../../support/counted-steps.ts'
import { fixture } from './fixture.ts'

interface Row {
  type: string
  a: JsonObject
  b: JsonObject
  union: JsonObject
  intersection: JsonObject
  difference: JsonObject
  recursiveDifference: JsonObject
  named: JsonObject
  equal: boolean
  paths: string[]
}

/** Compares the order of members, too. */
const same = (got: FieldSet, want: JsonObject): void => {
  expect(JSON.stringify(got)).to.equal(JSON.stringify(want))
}
const atOnce =
  <Args extends unknown[]>(make: (...args: Args) => MadeSet) =>
  (...args: Args): FieldSet =>
    setAtOnce(make(...args))
const fromFieldsV1 = atOnce(read)
const union = atOnce(sets.union)
const intersection = atOnce(sets.intersection)
const difference = atOnce(sets.difference)
const recursiveDifference = atOnce(sets.recursiveDifference)
const ensureNamedFieldsAreMembers = atOnce(sets.ensureNamedFieldsAreMembers)
const set = (text: string): FieldSet => fromFieldsV1(JSON.parse(text) as JsonObject)

describe('field sets', () => {
  describe('match the reference implementation', () => {
    for (const [i, row] of fixture<Row>('field-sets').entries())
      it(`${row.type}, ${i}`, () => {
        const inputs = structuredClone(row)
        const a = fromFieldsV1(row.a)
        const b = fromFieldsV1(row.b)
        same(a, row.a)
        same(union(a, b), row.union)
        same(union(b, a), row.union)
        same(intersection(a, b), row.intersection)
        same(difference(a, b), row.difference)
        same(recursiveDifference(a, b), row.recursiveDifference)
        same(ensureNamedFieldsAreMembers(a, types.type(row.type)), row.named)
        expect(equals(a, b)).to.equal(row.equal)
        expect([...pathsOf(a)].filter(path => path !== undefined).map(path => path.map(printElement).join(''))).to.deep.equal(row.paths)
        for (const path of pathsOf(a)) if (path !== undefined) expect(hasPath(a, path)).to.equal(true)
        expect(equals(union(a, b), union(b, a))).to.equal(true)
        expect(row).to.deep.equal(inputs)
      })
  })

  for (const [what, node] of [
    ['members', EMPTY],
    ['nodes that lead to members', { 'f:a': EMPTY }],
  ] as const)
    it(`yields the paths of many ${what} in steps, also while it looks for deeper ones`, () => {
      const count = 20_000
      const wide: FieldSet = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f:${i}n`, node]))
      const yielded = [...pathsOf({ 'f:data': wide })]
      expect(yielded.filter(path => path !== undefined)).to.have.lengthOf(count)
      expect(yielded.filter(path => path === undefined).length).to.be.at.least(Math.floor((2 * count) / 512))
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
      'joins repeated paths',
      '{"k:{\\"a\\":1,\\"b\\":2}":{"f:x":{}},"k:{\\"b\\":2,\\"a\\":1}":{"f:y":{}}}',
      '{"k:{\\"a\\":1,\\"b\\":2}":{"f:x":{},"f:y":{}}}',
    ],
    ['keeps names of the prototype', '{"f:__proto__":{},"f:constructor":{}}', '{"f:__proto__":{},"f:constructor":{}}'],
    ['is empty without members', '{}', '{}'],
  ]
  for (const [why, from, to] of readings) it(why, () => expect(JSON.stringify(set(from))).to.equal(to))

  for (const malformed of [
    '{"f":{}}',
    '{"fa":{}}',
    '{"f:a":1}',
    '{"f:a":[]}',
    '{"k:x":{}}',
    '{"k:1":{}}',
    '{"v:":{}}',
    '{"i:x":{}}',
    '{"i:99999999999999999999":{}}',
    '{"__proto__":{}}',
    '[]',
    '"x"',
    '5',
  ])
    it(`refuses ${malformed}`, () => expect(() => set(malformed)).to.throw(Error))

  it('decodes a document once', () => {
    const document = { 'f:b': {}, 'f:a': {} }
    expect(fromFieldsV1(document)).to.equal(fromFieldsV1(document))
    const written = toFieldsV1(set('{"f:a":{}}'))
    expect(fromFieldsV1(written)).to.equal(written)
    expect(isEmptySet(fromFieldsV1(null))).to.equal(true)
  })

  it('are made from member names', () => {
    same(fieldSetOf([['metadata', 'name'], ['metadata'], ['spec', 'a', 'b']]), {
      'f:metadata': { '.': {}, 'f:name': {} },
      'f:spec': { 'f:a': { 'f:b': {} } },
    })
  })

  it('share unchanged nodes', () => {
    const a = set('{"f:a":{"f:x":{}},"f:b":{"f:y":{}}}')
    expect(difference(a, set('{"f:z":{}}'))).to.equal(a)
    expect(difference(a, set('{"f:a":{"f:x":{}}}'))['f:b']).to.equal(a['f:b'])
    expect(union(a, EMPTY)).to.equal(a)
  })

  const COUNT = 20_000
  const wide = (prefix: string): JsonObject =>
    Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`${prefix}${String(i).padStart(5, '0')}`, {}]))
  const one = fromFieldsV1({ 'f:data': { '.': {}, ...wide('f:a') } })
  const other = fromFieldsV1({ 'f:data': { '.': {}, ...wide('f:a'), ...wide('f:b') } })
  const both = JSON.stringify({ 'f:data': { ...wide('f:a'), ...wide('f:b') } })
  const operations: [what: string, make: () => MadeSet, want: JsonObject | string][] = [
    ['a union', () => sets.union(one, other), other],
    ['a difference', () => sets.difference(other, one), { 'f:data': wide('f:b') }],
    [
      'a recursive difference',
      () => sets.recursiveDifference(other, fromFieldsV1({ 'f:data': wide('f:a') })),
      { 'f:data': { '.': {}, ...wide('f:b') } },
    ],
    ['an intersection', () => sets.intersection(one, other), one],
    ['naming its fields', () => sets.ensureNamedFieldsAreMembers(one, types.type('core.ConfigMap')), one],
    ['reading it', () => read(JSON.parse(both) as JsonObject), both],
    ['reading it in no order', () => read({ 'f:data': { ...wide('f:b'), ...wide('f:a') } }), both],
    [
      'reading its keys',
      () => read(Object.fromEntries(Object.keys(wide('a')).map(name => [`k:{"name":"${name}"}`, {}]))),
      Object.fromEntries(Object.keys(wide('a')).map(name => [`k:{"name":"${name}"}`, {}])),
    ],
    ['fitting it', () => reconcile(fromFieldsV1(JSON.parse(both) as JsonObject), types.type('core.ConfigMap')), both],
  ]
  for (const [what, make, want] of operations)
    it(`process ${what} of a wide set in steps`, () => {
      const made = make()
      if (!isSteps(made)) throw new Error('it was made at once')
      const { result, yields } = countedSteps(made)
      expect(yields).to.be.at.least(Math.floor(COUNT / 512))
      expect(JSON.stringify(result)).to.equal(typeof want === 'string' ? want : JSON.stringify(want))
    })

  it('are processed without steps if they are small', () => {
    const [a, b] = [set('{"f:a":{"f:x":{}},"f:b":{"f:y":{}}}'), set('{"f:a":{"f:z":{}}}')]
    for (const make of [sets.union, sets.difference, sets.recursiveDifference, sets.intersection])
      expect(isSteps(make(a, b))).to.equal(false)
    expect(isSteps(read({ 'f:b': {}, 'f:a': {} }))).to.equal(false)
  })
})
