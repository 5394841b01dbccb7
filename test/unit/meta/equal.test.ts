import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { clone, deepEqual, deepEqualIfSmall, deepEqualInSteps, ownMember, setMember } from '../../../src/meta/equal.ts'
import { sameJson, sameJsonIfSmall, sameJsonInSteps } from '../../../src/meta/same-json.ts'
import { countedSteps } from '../../support/counted-steps.ts'

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
    typeof value === 'bigint'
      ? `${value}n`
      : (JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)) ?? 'undefined')
  for (const [a, b, equal] of cases)
    it(`${print(a)} ${equal ? '=' : '≠'} ${print(b)}`, () => {
      expect(deepEqual(a, b)).to.equal(equal)
      expect(countedSteps(deepEqualInSteps(a, b)).result).to.equal(equal)
      expect(countedSteps(deepEqualInSteps([{ a }], [{ a: b }])).result).to.equal(equal)
    })

  it('compares members named __proto__', () => {
    expect(deepEqual(hostile(), hostile())).to.equal(true)
    expect(deepEqual(hostile(), { b: [{}] })).to.equal(false)
  })
})

describe('values of JSON', () => {
  const values = [
    null,
    0,
    1,
    1n,
    '1',
    [],
    [null],
    [1],
    [1n],
    {},
    { a: null },
    { a: [] },
    { a: 1 },
    { a: 1, b: 2 },
    { b: 2, a: 1n },
    { a: { b: [{}] } },
    { a: { b: [[]] } },
  ]
  it('have the same result in steps', () => {
    for (const a of values as Json[])
      for (const b of values as Json[]) expect(countedSteps(sameJsonInSteps([a], [b])).result).to.equal(sameJson(a, b))
  })

  const wide = (last: number): { [name: string]: number } =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i < 19_999 ? i : last]))
  for (const [what, compare] of [
    ['deepEqualInSteps', deepEqualInSteps],
    ['sameJsonInSteps', sameJsonInSteps],
  ] as const)
    it(`are compared in steps if they are wide: ${what}`, () => {
      const same = countedSteps(compare({ a: wide(1) }, { a: wide(1) }))
      expect(same.result).to.equal(true)
      expect(same.yields).to.be.at.least(39)
      const differing = countedSteps(compare({ a: wide(1) }, { a: wide(2) }))
      expect(differing.result).to.equal(false)
      expect(differing.yields).to.be.at.least(39)
    })

  for (const [what, compare] of [
    ['like Go', deepEqualIfSmall],
    ['exactly', sameJsonIfSmall],
  ] as const)
    it(`are compared in one call only if they are small: ${what}`, () => {
      expect(compare({ a: 1 }, { a: 1 })).to.equal(true)
      expect(compare({ a: 1 }, { a: 2 })).to.equal(false)
      expect(compare({ a: wide(1) }, { a: wide(1) })).to.equal(undefined)
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
