import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { JsonSyntaxError, parseJson, parseJsonInSteps } from '../../../src/codec/json.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'

const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const wide = (value: unknown): object => Object.fromEntries(range(20_000, i => [`k${(i * 7) % 20_000}`, value]))
const long = range(10_000, i => `a"\\{[,:${i}`)

describe('parseInChunks', () => {
  const values: readonly [string, unknown][] = [
    ['a wide object', wide('v')],
    ['a wide object of objects', { spec: { properties: wide({ type: 'string' }) }, status: {} }],
    ['a long list', { metadata: { finalizers: long }, data: { a: 'b' } }],
    ['a list of long lists', [[], long, 1, [long, {}], null, long]],
    ['members around long ones', { a: 1, b: { c: long, d: [], e: true }, f: wide(1), g: {} }],
    ['a long text in a deep object', { a: { b: { c: ['x'.repeat(100_000)] } } }],
    ['keys like integers', Object.fromEntries(range(20_000, i => [(i * 7919) % 20_000, i]))],
    ['an object in a long text', `${JSON.stringify(long)}`],
  ]
  for (const [name, value] of values)
    for (const space of [undefined, 2])
      it(`reads ${name}${space ? ', indented' : ''}`, () => {
        const text = JSON.stringify(value, null, space)
        const read = parseJson(Buffer.from(text))
        expect(JSON.stringify(read.value, null, space)).to.equal(text)
        expect(read.duplicates).to.deep.equal([])
      })

  it('reads a wide object in steps', () => {
    expect([...parseJsonInSteps(Buffer.from(JSON.stringify(wide('v'))))].length).to.be.greaterThan(10)
  })

  it('reports members that are repeated in two chunks', () => {
    const text = JSON.stringify({ a: wide('v') }).replace('}}', ',"k0":"w"},"a":1}')
    expect(runAtOnce(parseJsonInSteps(Buffer.from(text))).duplicates).to.deep.equal(['a.k0', 'a'])
  })

  const list = JSON.stringify(long).slice(1, -1)
  const faults: readonly [string, string][] = [
    ['a comma before the end', `[${list},]`],
    ['a comma behind a long member', `[[${list}],]`],
    ['two commas', `[[${list}],,1]`],
    ['no comma between long members', `[[${list}][${list}]]`],
    ['a value behind a long member', `{"a":[${list}] 1,"b":2}`],
    ['a value before a long member', `{"a":1[${list}]}`],
    ['a long member without a key', `{[${list}]}`],
    ['a member without a key in a long object', `{"a":[${list}],[${list}]}`],
    ['the wrong bracket', `{"a":[${list}}]`],
    ['no end', `{"a":[${list}]`],
    ['no end of a text', `["${'x'.repeat(100_000)}]`],
    ['more than a value', `[${list}] 1`],
  ]
  for (const [name, text] of faults) it(`refuses ${name}`, () => expect(() => parseJson(Buffer.from(text))).to.throw(JsonSyntaxError))

  it('treats __proto__ as data', () => {
    const value = parseJson(Buffer.from(`{"__proto__":[${list}],"b":{"__proto__":${JSON.stringify(wide(1))}}}`)).value as { b: JsonObject }
    expect(Object.keys(value)).to.deep.equal(['__proto__', 'b'])
    expect(Object.keys(value.b)).to.deep.equal(['__proto__'])
    expect(Object.getPrototypeOf(value.b)).to.equal(Object.prototype)
  })
})
