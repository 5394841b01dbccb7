import { expect } from 'chai'
import { clone, deepEqual, ownMember, setMember } from '../../../src/meta/equal.ts'

const hostile = (): object => JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":2}]}') as object

describe('semantic equality', () => {
  const cases: [a: unknown, b: unknown, equal: boolean][] = [
    [{ a: 1 }, { a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: null }, {}, true],
    [{ a: [] }, {}, true],
    [{ a: {} }, {}, false],
    [[], undefined, true],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ a: '1' }, { a: 1 }, false],
    [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1 }] } }, true],
    [1, 1n, true],
    [0.5, 9223372036854775807n, false],
    [9223372036854775807n, Number.NaN, false],
    [9007199254740993n, 9007199254740993n, true],
    ['a', null, false],
    [{ toString: undefined }, {}, true],
    [{ toString: 'x' }, {}, false],
    [{}, { toString: 'x' }, false],
  ]
  const print = (value: unknown): string =>
    typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)) ?? 'undefined')
  for (const [a, b, equal] of cases) it(`${print(a)} ${equal ? '=' : '≠'} ${print(b)}`, () => expect(deepEqual(a, b)).to.equal(equal))

  it('compares members named __proto__', () => {
    expect(deepEqual(hostile(), hostile())).to.equal(true)
    expect(deepEqual(hostile(), { b: [{}] })).to.equal(false)
  })
})

describe('clone', () => {
  it('copies deeply, without undefined members', () => {
    const original = { a: [{ b: 1 }], n: 5n, gone: undefined, nothing: null }
    const copy = clone(original)
    expect(copy).to.deep.equal({ a: [{ b: 1 }], n: 5n, nothing: null })
    copy.a[0]!.b = 2
    expect(original.a[0]?.b).to.equal(1)
    expect('gone' in copy).to.equal(false)
  })

  it('keeps a member named __proto__ as data', () => {
    const copy = clone(hostile())
    expect(JSON.stringify(copy)).to.equal('{"__proto__":{"a":1},"b":[{"__proto__":2}]}')
    expect(Object.getPrototypeOf(copy)).to.equal(Object.prototype)
    expect((copy as { a?: number }).a).to.equal(undefined)
  })
})

describe('members with untrusted names', () => {
  it('are set as data, and found only if set', () => {
    const object = {}
    setMember(object, '__proto__', { polluted: true })
    expect(Object.keys(object)).to.deep.equal(['__proto__'])
    expect((object as { polluted?: boolean }).polluted).to.equal(undefined)
    expect(ownMember({ a: 1 }, 'constructor')).to.equal(undefined)
    expect(ownMember(undefined, 'a')).to.equal(undefined)
    expect(ownMember({ a: 1 }, 'a')).to.equal(1)
  })
})
