import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { givenEmptyNames } from '../../../src/meta/empty-members.ts'
import { DecodeError, decode, decodeInSteps } from '../../../src/schema/decode.ts'
import type { DecodeOptions } from '../../../src/schema/decoding.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'

const type = new TypeRegistry()
  .add({
    id: 't',
    definition: 'io.example.v1',
    source: `
type Thing typemeta
  inner 1 Inner?
  pointed 2 *Inner?
  names 3 []string
  ports 4 []Inner?
  labels 5 map[string]string
  text 6 string
  maybe 7 *string?
  whole 8 *int32
  wait 9 Duration?
  big 10 int64?
  seen 11 MicroTime?
  any 12 RawExtension?
  child 13 *Thing?
  json 14 *JSON?

type Inner
  name 1 string?
  count 2 int32?
`,
  })
  .type('t.Thing')

const always = { inner: {}, names: null, labels: null, text: '', whole: null, wait: '0s', seen: null, any: null }

describe('decode', () => {
  const table: [string, Json, object][] = [
    ['members that are always written', {}, always],
    ['null everywhere', { inner: null, names: null, labels: null, text: null, maybe: null, whole: null, child: null }, always],
    ['pointers to zero stay', { pointed: {}, maybe: '', whole: 0 }, { ...always, pointed: {}, maybe: '', whole: 0 }],
    ['empty collections are nil', { names: [], ports: [], labels: {} }, always],
    [
      'null items are zero',
      { names: ['a', null], ports: [null], labels: { a: null } },
      { ...always, names: ['a', ''], ports: [{}], labels: { a: '' } },
    ],
    ['durations', { wait: '90m' }, { ...always, wait: '1h30m0s' }],
    ['raw values unchanged', { any: { b: null, a: [1] } }, { ...always, any: { b: null, a: [1] } }],
    ['big integers', { big: 2n ** 60n }, { ...always, big: 2n ** 60n }],
    ['unknown members', { x: 1, inner: { y: 2 } }, always],
    ['undefined members', { text: undefined as unknown as Json, maybe: undefined as unknown as Json }, always],
    ['recursion', { child: { child: {} } }, { ...always, child: { ...always, child: always } }],
  ]
  for (const [name, value, want] of table) it(name, () => expect(decode(type, value)).to.deep.equal(want))

  it('keeps empty collections that are always written if keepEmpty is set', () => {
    expect(decode(type, { names: [], ports: [], labels: {} }, { keepEmpty: true })).to.deep.equal({ ...always, names: [], labels: {} })
    expect(decode(type, { names: [], ports: [], labels: {} })).to.deep.equal(always)
    expect(() => decode(type, { names: {} }, { keepEmpty: true })).to.throw(DecodeError)
  })

  it('records omitted empty collections in any order of members', () => {
    const names = (value: Json, options?: DecodeOptions): string[] => givenEmptyNames(decode(type, value, options))
    expect(names({ names: [], ports: [], labels: {}, text: '', big: 0 }, { keepEmpty: true })).to.deep.equal(['ports'])
    expect(names({ text: 'x', ports: [], names: [] }, { keepEmpty: true })).to.deep.equal(['ports'])
    expect(names({ ports: [], names: ['x'], inner: {} }, { keepEmpty: true })).to.deep.equal(['ports'])
    expect(names({ ports: null }, { keepEmpty: true })).to.deep.equal([])
    expect(names({ ports: [] })).to.deep.equal([])
  })

  it('writes members in declared order, whatever their order in the input', () => {
    const value = { child: null, text: 'x', kind: 'Thing', labels: { b: '1', a: '2' }, apiVersion: 'v1', pointed: { count: 1, name: 'n' } }
    expect(JSON.stringify(decode(type, value))).to.equal(
      '{"kind":"Thing","apiVersion":"v1","inner":{},"pointed":{"name":"n","count":1},"names":null,"labels":{"a":"2","b":"1"},"text":"x","whole":null,"wait":"0s","seen":null,"any":null}',
    )
  })

  it('reads members in any order once, at any depth', () => {
    let value: Json = { text: 'x', count: 1 }
    for (let i = 0; i < 60; i++) value = { child: value, text: 'x', inner: { count: 1, name: 'n' } }
    let depth = 0
    for (let at = decode(type, value) as { child?: object; text: string }; at.child; at = at.child as typeof at) {
      expect(Object.keys(at).slice(0, 2)).to.deep.equal(['inner', 'names'])
      depth++
    }
    expect(depth).to.equal(60)
  })

  it('creates a new object that does not change when it is decoded again', () => {
    const value = { inner: { name: 'a' }, names: ['x'], labels: { k: 'v' } }
    const once = decode(type, value)
    expect(once.inner).to.not.equal(value.inner)
    expect(once.names).to.not.equal(value.names)
    expect(JSON.stringify(decode(type, once))).to.equal(JSON.stringify(once))
  })

  it('reports unknown members in the order of the value', () => {
    const told: string[] = []
    decode(
      type,
      { z: 1, ports: [{ name: 'a' }, { b: 1 }], a: 2, child: { q: { r: 1 } }, any: { free: 1 } },
      { onUnknown: path => told.push(path) },
    )
    expect(told).to.deep.equal(['z', 'ports[1].b', 'a', 'child.q'])
  })

  it('never writes to a prototype', () => {
    const value = JSON.parse('{"__proto__":{"polluted":1},"labels":{"__proto__":"x","constructor":"y"}}') as Json
    const out = decode(type, value) as { labels: Record<string, string> }
    expect(Object.keys(out.labels)).to.deep.equal(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(out)).to.equal(Object.prototype)
    expect(Object.getPrototypeOf(out.labels)).to.equal(Object.prototype)
  })

  const errors: [Json, string][] = [
    [[], 'json: cannot unmarshal array into Go value of type v1.Thing'],
    [{ ports: 'x' }, 'json: cannot unmarshal string into Go struct field Thing.ports of type []v1.Inner'],
    [{ child: { ports: [{ count: 'x' }] } }, 'json: cannot unmarshal string into Go struct field Inner.child.ports.count of type int32'],
    [{ whole: 2 ** 31 }, 'json: cannot unmarshal number 2147483648 into Go struct field Thing.whole of type int32'],
    [{ text: 1, seen: 'x' }, 'parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"'],
    [{ wait: '5' }, 'time: missing unit in duration "5"'],
    [{ wait: 5 }, 'json: cannot unmarshal number into Go struct field Thing.wait of type string'],
  ]
  for (const [value, text] of errors) {
    it(text, () => {
      expect(() => decode(type, value))
        .to.throw(DecodeError)
        .with.property('message', text)
    })
  }
})

describe('decodeInSteps', () => {
  const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
  const labels = (count: number, name: (i: number) => string): Json => Object.fromEntries(range(count, i => [name(i), 'v']))
  const padded = (i: number): string => `k${String(i).padStart(5, '0')}`
  const late: Json = { ports: [...range(5000, i => ({ name: `p${i}` })), { name: 'x', stray: 1 }], labels: {} }
  const values: readonly [string, Json][] = [
    ['a long list', { names: range(20_000, String), ports: range(5000, i => ({ count: i, name: `n${i}` })), pointed: null }],
    ['a map in order', { labels: labels(20_000, padded) }],
    ['a map in no order', { labels: labels(20_000, i => `k${i}`), text: 'x' }],
    [
      'a map whose last keys are in no order',
      { labels: { ...(labels(20_000, padded) as object), a: 'b', '\uffff': 'c', '\u{10000}': null } },
    ],
    ['a map with keys that are numbers', { labels: labels(20_000, i => String(i * 3)) }],
    [
      'lists in objects in objects',
      { child: { child: { names: range(5000, String), child: { labels: labels(5000, i => `k${i}`) } }, ports: range(5000, () => null) } },
    ],
    ['JSON that is sorted', { json: { b: range(5000, i => ({ b: i, a: labels(2, j => `k${1 - j}`) })), a: null } }],
    ['a member without a field behind many elements', late],
  ]
  for (const [name, value] of values)
    it(`reads ${name}`, () => {
      const steps = decodeInSteps(type, value, { keepEmpty: true })
      expect([...steps].length).to.be.greaterThan(3)
      const own = JSON.parse(JSON.stringify(value))
      expect(JSON.stringify(runAtOnce(decodeInSteps(type, own)))).to.equal(JSON.stringify(decode(type, value)))
    })

  it('treats __proto__ in a long map as data', () => {
    const value = JSON.parse(JSON.stringify({ labels: labels(5000, padded) }).replace('{"k00000"', '{"__proto__":"x","k00000"'))
    const out = runAtOnce(decodeInSteps(type, value)).labels as object
    expect(Object.keys(out)[0]).to.equal('__proto__')
    expect(Object.getPrototypeOf(out)).to.equal(Object.prototype)
  })

  it('reports unknown members in steps', () => {
    const unknown: string[] = []
    const value = { ports: [...range(5000, i => ({ name: `p${i}` })), Object.fromEntries(range(5000, i => [`s${i}`, 1]))] }
    const onUnknown = (path: string) => void unknown.push(path)
    expect([...decodeInSteps(type, value, { onUnknown })].length).to.be.greaterThan(20)
    expect(unknown).to.have.length(5000)
    expect(unknown[0]).to.equal('ports[5000].s0')
  })

  it('looks for unknown members, and for the error, in another step than it reads', () => {
    const unknown: string[] = []
    const steps = decodeInSteps(type, { a: 1, b: 2 }, { onUnknown: path => void unknown.push(path) })
    steps.next()
    expect(unknown).to.deep.equal([])
    runAtOnce(steps)
    expect(unknown).to.deep.equal(['a', 'b'])
    const misfit = decodeInSteps(type, { names: 1 })
    expect(misfit.next().done).to.equal(false)
    expect(() => runAtOnce(misfit)).to.throw(DecodeError)
  })

  it('throws the error of decode after many elements', () => {
    const value: Json = { labels: labels(5000, padded), names: [...range(5000, String), 1] }
    expect(() => runAtOnce(decodeInSteps(type, value))).to.throw(
      DecodeError,
      'json: cannot unmarshal number into Go struct field Thing.names of type string',
    )
  })
})
