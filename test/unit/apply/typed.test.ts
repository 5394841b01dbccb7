import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { setAtOnce } from '../../../src/apply/field-set.ts'
import { reconcile } from '../../../src/apply/ownership.ts'
import { fromFieldsV1 } from '../../../src/apply/read-field-set.ts'
import { compareObjects as compareInSteps } from '../../../src/apply/typed.ts'
import { TypedError } from '../../../src/apply/typed-list.ts'
import { toFieldSet as fieldSetInSteps } from '../../../src/apply/typed-paths.ts'
import { types } from '../../../src/catalog/types.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { fixture } from './fixture.ts'

interface Row {
  type: string
  old: JsonObject
  next: JsonObject
  added: JsonObject
  modified: JsonObject
  removed: JsonObject
  set: JsonObject
}

const compare = (...args: Parameters<typeof compareInSteps>) => runAtOnce(compareInSteps(...args))
const toFieldSet = (...args: Parameters<typeof fieldSetInSteps>) => runAtOnce(fieldSetInSteps(...args))

const read = (document: JsonObject) => setAtOnce(fromFieldsV1(document))

describe('typed comparison', () => {
  describe('matches the reference implementation', () => {
    for (const [i, { type, old, next, added, modified, removed, set }] of fixture<Row>('typed').entries())
      it(`${type}, ${i}`, () => {
        const schema = types.type(type)
        const inputs = structuredClone([old, next])
        // Compared as text, as the order of members matters.
        expect(JSON.stringify(compare(schema, old, next))).to.equal(JSON.stringify({ added, modified, removed }))
        expect(JSON.stringify(compare(schema, next, old))).to.equal(JSON.stringify({ added: removed, modified, removed: added }))
        expect(JSON.stringify(toFieldSet(schema, next))).to.equal(JSON.stringify(set))
        expect([old, next]).to.deep.equal(inputs)
      })
  })

  const service = types.type('core.Service')
  const ports = (...list: JsonObject[]): JsonObject => ({ spec: { ports: list } })
  const tcp = 'k:{"port":80,"protocol":"TCP"}'
  const udp = 'k:{"port":80,"protocol":"UDP"}'
  const table: [why: string, schema: StructSchema, old: JsonObject, next: JsonObject, result: JsonObject][] = [
    [
      'fills in the default of a key',
      service,
      ports(),
      ports({ port: 80 }),
      { added: { 'f:spec': { 'f:ports': { [tcp]: { '.': {}, 'f:port': {} } } } } },
    ],
    [
      'distinguishes elements by all keys',
      service,
      ports({ port: 80 }),
      ports({ port: 80, protocol: 'UDP' }, { port: 80 }),
      { added: { 'f:spec': { 'f:ports': { [udp]: { '.': {}, 'f:port': {}, 'f:protocol': {} } } } } },
    ],
    [
      'takes a repeated element as one value',
      service,
      ports({ port: 80 }),
      ports({ port: 80 }, { port: 80, name: 'x' }),
      { added: { 'f:spec': { 'f:ports': { [tcp]: {} } } }, removed: { 'f:spec': { 'f:ports': { [tcp]: { '.': {}, 'f:port': {} } } } } },
    ],
    [
      'sees that a repeated element changed',
      service,
      ports({ port: 80 }, { port: 80 }),
      ports({ port: 80 }, { port: 80, name: 'x' }),
      { modified: { 'f:spec': { 'f:ports': { [tcp]: {} } } } },
    ],
    ['does not mind the order of elements', service, ports({ port: 1 }, { port: 2 }), ports({ port: 2 }, { port: 1 }), {}],
    ['distinguishes null from an empty list', service, { spec: { ports: null } }, ports(), { modified: { 'f:spec': { 'f:ports': {} } } }],
    [
      'takes an atomic list as one value',
      service,
      { spec: { clusterIPs: ['a'] } },
      { spec: { clusterIPs: ['a', 'b'] } },
      { modified: { 'f:spec': { 'f:clusterIPs': {} } } },
    ],
    [
      'takes an atomic map as one value',
      service,
      { spec: { selector: { a: '1' } } },
      { spec: { selector: { a: '2' } } },
      { modified: { 'f:spec': { 'f:selector': {} } } },
    ],
    [
      'removes with everything below',
      service,
      { metadata: { labels: { a: '1' } } },
      { metadata: {} },
      { removed: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } } },
    ],
    [
      'tracks the elements of a set by value',
      service,
      { metadata: { finalizers: ['<a>'] } },
      { metadata: { finalizers: ['b'] } },
      {
        added: { 'f:metadata': { 'f:finalizers': { 'v:"b"': {} } } },
        removed: { 'f:metadata': { 'f:finalizers': { 'v:"\\u003ca\\u003e"': {} } } },
      },
    ],
    [
      'keeps names of the prototype',
      service,
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { a: '1', constructor: 'c' } } },
      {
        added: { 'f:metadata': { 'f:labels': { 'f:constructor': {} } } },
      },
    ],
  ]
  for (const [why, schema, old, next, result] of table)
    it(why, () => expect(compare(schema, old, next)).to.deep.equal({ added: {}, modified: {}, removed: {}, ...result }))

  describe('without a schema', () => {
    const untyped: [old: JsonObject, next: JsonObject, result: JsonObject][] = [
      [{ a: { b: 1 } }, { a: { c: 1 } }, { added: { 'f:a': { 'f:c': {} } }, removed: { 'f:a': { 'f:b': {} } } }],
      [{ a: { b: 1 } }, { a: 1 }, { modified: { 'f:a': {} }, removed: { 'f:a': { 'f:b': {} } } }],
      [{ a: 1 }, { a: { b: 1 } }, { modified: { 'f:a': {} }, added: { 'f:a': { 'f:b': {} } } }],
      [{ a: null }, { a: { b: 1 } }, { added: { 'f:a': { 'f:b': {} } } }],
      [{ a: [1] }, { a: [2] }, { modified: { 'f:a': {} } }],
      [{ a: null }, { a: [] }, { modified: { 'f:a': {} } }],
    ]
    for (const [old, next, result] of untyped)
      it(`${JSON.stringify(old)} to ${JSON.stringify(next)}`, () =>
        expect(compare(undefined, old, next)).to.deep.equal({ added: {}, modified: {}, removed: {}, ...result }))
  })

  const refused: [next: JsonObject, message: string][] = [
    [{ spec: { ports: [null] } }, 'element 0: associative list with keys may not have a null element'],
    [{ metadata: { finalizers: [null] } }, "element 0: associative list without keys has an element that's an explicit null"],
  ]
  for (const [next, message] of refused)
    it(`refuses ${JSON.stringify(next)}`, () => expect(() => compare(service, {}, next)).to.throw(TypedError, message))

  it('rejects an item without a key', () => {
    const list = new TypeRegistry()
      .add({ id: 't', definition: 't', source: 'type T\n  items 1 []I? map(k,d)\n\ntype I\n  k 1 string?\n  d 2 string? = "x"\n' })
      .type('t.T')
    const message = 'element 0: associative list with keys has an element that omits key field "k" (and doesn\'t have default value)'
    expect(() => compare(list, {}, { items: [{ d: 'y' }] })).to.throw(TypedError, message)
    expect(toFieldSet(list, { items: [{ k: 'a' }] })).to.deep.equal({ 'f:items': { 'k:{"d":"x","k":"a"}': { '.': {}, 'f:k': {} } } })
  })

  it("moves paths below a value that became atomic to the value's own path", () => {
    const set = read({
      'f:spec': { 'f:clusterIPs': { 'v:"a"': {} }, 'f:selector': { '.': {}, 'f:a': {} }, 'f:type': {} },
      'f:gone': { 'f:x': {} },
    })
    expect(reconcile(set, service)).to.deep.equal({
      'f:spec': { 'f:clusterIPs': {}, 'f:selector': {}, 'f:type': {} },
      'f:gone': { 'f:x': {} },
    })
    const fitting = read({ 'f:spec': { 'f:type': {} } })
    expect(reconcile(fitting, service)).to.equal(fitting)
  })
})
