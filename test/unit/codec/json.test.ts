import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { types } from '../../../src/catalog/types.ts'
import { encodeJson, encodeJsonInSteps, goJson, JsonSyntaxError, parseJson } from '../../../src/codec/json.ts'
import { goJsonInSteps } from '../../../src/codec/json-in-steps.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { decode } from '../../../src/schema/decode.ts'
import { countedSteps } from '../../support/counted-steps.ts'

/** Texts, and the results of sigs.k8s.io/json without a type. */
const rows = JSON.parse(readFileSync(new URL('../../fixtures/codec/json.json', import.meta.url), 'utf8')) as {
  body: string
  out?: string
  error?: string
  strict?: string[]
}[]

describe('parseJson and goJson', () => {
  for (const row of rows) {
    it(JSON.stringify(row.body), () => {
      const read = () => parseJson(Buffer.from(row.body, 'latin1'))
      if (row.error?.includes('float64'))
        expect(`json: cannot unmarshal number ${read().tooLarge} into Go value of type float64`).to.equal(row.error)
      else if (row.error !== undefined) expect(read).to.throw(JsonSyntaxError).with.property('message', row.error)
      else {
        expect(goJson(read().value)).to.equal(row.out)
        expect(runAtOnce(goJsonInSteps(read().value)).join('')).to.equal(row.out)
        expect(read().duplicates.map(path => `duplicate field "${path}"`)).to.deep.equal(row.strict ?? [])
      }
    })
  }

  it('writes wide values in parts', () => {
    const wide = {
      list: Array(20_000).fill({ a: 'b' }),
      map: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])),
      none: {},
      empty: [],
    }
    const parts = runAtOnce(goJsonInSteps(wide))
    expect(parts.length).to.be.greaterThan(20)
    expect(parts.join('')).to.equal(goJson(wide))
  })

  it('sorts the keys of wide objects in steps', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `${(i * 7919) % 20_000}k${i % 2 ? '\u{10000}' : '\uffff'}`)
    const wide = Object.fromEntries(keys.map((key, i) => [key, i]))
    const { result, yields } = countedSteps(goJsonInSteps(wide))
    expect(yields).to.be.greaterThan(result.length + 5)
    expect(result.join('')).to.equal(goJson(wide))
  })

  it('keeps integers beyond 2^53', () => {
    expect(parseJson(Buffer.from('{"a":[9007199254740993,-9223372036854775808]}')).value).to.deep.equal({
      a: [9007199254740993n, -9223372036854775808n],
    })
  })

  it('reports each repeated member once, and the first hundred', () => {
    // The path of each is as long as the text is deep.
    const deep = (members: string): string[] => parseJson(Buffer.from(`${'{"a":'.repeat(5000)}{${members}}${'}'.repeat(5000)}`)).duplicates
    expect(deep(`${'"x":1,'.repeat(1000)}"x":1`)).to.deep.equal([`${'a.'.repeat(5000)}x`])
    expect(deep(Array.from({ length: 1000 }, (_, i) => `"x${i}":1,"x${i}":1`).join(','))).to.have.length(100)
  })

  it('limits the nesting depth', () => {
    expect(parseJson(Buffer.from('['.repeat(10_000) + ']'.repeat(10_000))).duplicates).to.deep.equal([])
    expect(() => parseJson(Buffer.from('['.repeat(10_001) + ']'.repeat(10_001)))).to.throw("invalid character '[' exceeded max depth")
  })

  it('treats __proto__ as data', () => {
    const { value } = parseJson(Buffer.from('{"__proto__":{"x":1},"__proto__":{"y":1}}')) as { value: Record<string, Json> }
    expect(Object.keys(value)).to.deep.equal(['__proto__'])
    expect(({} as Record<string, unknown>).y).to.equal(undefined)
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype)
  })
})

describe('encodeJson', () => {
  const schema = types.type('core.ConfigMap')
  const table: [string, object, string][] = [
    [
      'keys like integers',
      { data: { 10: 'a', 9: 'b', '-': 'c' } },
      '{"metadata":{"creationTimestamp":null},"data":{"-":"c","10":"a","9":"b"}}',
    ],
    [
      'markup',
      { data: { a: '<a href="x">&\u2028' } },
      '{"metadata":{"creationTimestamp":null},"data":{"a":"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028"}}',
    ],
    ['lone surrogates', { data: { a: 'x\ud800y' } }, '{"metadata":{"creationTimestamp":null},"data":{"a":"x\ufffdy"}}'],
    [
      'keys by bytes, not by UTF-16',
      { data: { '\u{1f600}': 'a', '\uffee': 'b' } },
      '{"metadata":{"creationTimestamp":null},"data":{"\uffee":"b","\u{1f600}":"a"}}',
    ],
    [
      'big integers',
      { metadata: { generation: 9007199254740993n } },
      '{"metadata":{"generation":9007199254740993,"creationTimestamp":null}}',
    ],
    [
      'control characters',
      { data: { a: '\u0000\b\f\n\r\t\u001f\u007f' } },
      '{"metadata":{"creationTimestamp":null},"data":{"a":"\\u0000\\b\\f\\n\\r\\t\\u001f\u007f"}}',
    ],
  ]
  for (const [name, object, want] of table)
    it(name, () => {
      const decoded = decode(schema, object as Json)
      expect(encodeJson(schema, decoded).toString()).to.equal(want)
      expect(runAtOnce(goJsonInSteps(decoded, schema)).join('')).to.equal(want)
    })

  const many = <T>(value: (i: number) => T): Record<string, T> =>
    Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`k${i}<`, value(i)]))
  const large: readonly [string, string, object][] = [
    [
      'a map in no order',
      'core.ConfigMap',
      { kind: 'ConfigMap', data: { b: '<'.repeat(50_000), ...many(String), a: 'x\ud800y' }, metadata: { name: 'a' } },
    ],
    ['a list', 'core.Node', { spec: { taints: Object.keys(many(String)).map(key => ({ key, effect: 'NoSchedule' })) }, stray: 1 }],
    [
      'unions and JSON',
      'apiextensions.CustomResourceDefinition',
      {
        spec: {
          versions: [
            {
              schema: {
                openAPIV3Schema: {
                  properties: many(i => ({ default: { b: i, a: ['\u2028', { d: 1, c: null }] } })),
                  items: { type: 'string', enum: [{ b: 1, a: 2 }] },
                  additionalProperties: false,
                },
              },
            },
          ],
        },
      },
    ],
  ]
  for (const [name, type, object] of large)
    it(`writes ${name} in steps`, () => {
      const own = types.type(type)
      for (const value of [object as JsonObject, decode(own, object as Json)]) {
        const { result, yields } = countedSteps(encodeJsonInSteps(own, value))
        expect(result.toString()).to.equal(encodeJson(own, value).toString())
        expect(yields).to.be.greaterThan(10)
      }
    })

  it('escapes a long text in steps', () => {
    const object = decode(schema, { data: { a: '<\u{1f600}'.repeat(100_000) } })
    expect([...encodeJsonInSteps(schema, object)].length).to.be.greaterThan(10)
    expect(runAtOnce(encodeJsonInSteps(schema, object)).toString()).to.equal(encodeJson(schema, object).toString())
  })

  it('writes members that were added later in declared order', () => {
    const object = decode(schema, { metadata: { name: 'x' } })
    object.data = { b: '1', a: '2' }
    object.apiVersion = 'v1'
    object.kind = 'ConfigMap'
    expect(encodeJson(schema, object).toString()).to.equal(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","creationTimestamp":null},"data":{"a":"2","b":"1"}}',
    )
  })
})
