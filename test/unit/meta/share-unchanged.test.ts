import { expect } from 'chai'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { deepEqual } from '../../../src/meta/equal.ts'
import { shareUnchanged } from '../../../src/meta/share-unchanged.ts'
import { setWholeFloat, wholeFloatAt } from '../../../src/meta/whole-floats.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const MANY = 20_000
const members = (value: string): Record<string, string> => Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, value]))
const list = () => Array.from({ length: MANY }, (_, i) => ({ name: `v${i}`, value: [i] }))

/** Counts how often the names of an object are listed. */
function counted<T extends object>(object: T): { readonly object: T; lists: number } {
  const count = { lists: 0 }
  const proxy = new Proxy(object, {
    ownKeys: target => {
      count.lists++
      return Reflect.ownKeys(target)
    },
  })
  return Object.assign(count, { object: proxy })
}

describe('shareUnchanged', () => {
  it('returns the old value if nothing has changed', () => {
    const old = { labels: members('a'), list: list() }
    expect(runAtOnce(shareUnchanged(old, structuredClone(old)))).to.equal(old)
    const small = { a: { b: [1] } }
    expect(runAtOnce(shareUnchanged(small, structuredClone(small)))).to.equal(small)
  })

  it('keeps the old parts beside those that have changed', () => {
    const old = { version: '1', labels: members('a'), list: list(), other: { a: 1 }, gone: [] as number[] }
    const next = { ...structuredClone(old), version: '2', other: { a: 2 } }
    next.list[7] = { name: 'new', value: [] }
    const shared = runAtOnce(shareUnchanged(old, next))
    expect(shared).to.deep.equal(next)
    expect([shared.labels === old.labels, shared.list[6] === old.list[6], shared.list[7] === next.list[7]]).to.deep.equal([
      true,
      true,
      true,
    ])
    expect(shared.other).to.equal(next.other)
  })

  it('adds and removes members and elements', () => {
    const old: Record<string, unknown> = { labels: members('a'), a: list() }
    const next: Record<string, unknown> = { labels: { ...members('a'), k5: 'b' }, b: [1], c: [], d: null }
    expect(runAtOnce(shareUnchanged(old, next))).to.deep.equal(next)
    expect(runAtOnce(shareUnchanged(next, old))).to.deep.equal(old)
    expect(runAtOnce(shareUnchanged(old, { labels: old.labels }))).to.deep.equal({ labels: old.labels })
    const [some, all] = [list().slice(0, 9000), list()]
    expect(runAtOnce(shareUnchanged(some, all))).to.deep.equal(all)
    expect(runAtOnce(shareUnchanged(all, some))).to.deep.equal(some)
  })

  it('leaves both values as they are', () => {
    const old = { labels: members('a'), list: list() }
    const next = { labels: members('a'), list: list().slice(1) }
    const [oldText, nextText] = [JSON.stringify(old), JSON.stringify(next)]
    runAtOnce(shareUnchanged(old, next))
    expect([JSON.stringify(old), JSON.stringify(next)]).to.deep.equal([oldText, nextText])
  })

  it('runs in steps', () => {
    for (const value of [{ labels: members('a') }, { list: list() }])
      expect(countedSteps(shareUnchanged(value, structuredClone(value))).yields).to.be.at.least(Math.floor(MANY / 512))
  })

  it('leaves wide objects equal that differ in an absent member and an empty list', () => {
    const [old, next] = [members('a'), { ...members('a'), list: [] }]
    runAtOnce(shareUnchanged(old, next))
    runAtOnce(shareUnchanged(next, old))
    expect([deepEqual(old, next), deepEqual(next, old)]).to.deep.equal([true, true])
  })

  it('keeps which whole numbers are floats', () => {
    const [old, next] = [
      { labels: members('a'), ratio: 2 },
      { labels: members('a'), ratio: 1 },
    ]
    setWholeFloat(next, 'ratio', '1.0')
    const shared = runAtOnce(shareUnchanged(old, next))
    expect([shared.labels === old.labels, wholeFloatAt(shared, 'ratio')]).to.deep.equal([true, '1.0'])
    const [list, later] = [
      [members('a'), 2],
      [members('a'), 1],
    ]
    setWholeFloat(later, 1, '1.0')
    expect(wholeFloatAt(runAtOnce(shareUnchanged(list, later)), 1)).to.equal('1.0')
  })

  it('notes a text that is gone', () => {
    const { k7: _, ...fewer } = members('a')
    const [before, next] = [counted(members('a')), counted(fewer)]
    runAtOnce(shareUnchanged(before.object, next.object))
    const lists = [before.lists, next.lists]
    expect(deepEqual(before.object, next.object)).to.equal(false)
    expect([before.lists, next.lists]).to.deep.equal(lists)
  })

  it('spares later comparisons of wide objects that differ', () => {
    const [old, next] = [counted(members('a')), counted({ ...members('a'), [`k${MANY - 1}`]: 'b' })]
    expect(runAtOnce(shareUnchanged(old.object, next.object))).to.equal(next.object)
    const before = [old.lists, next.lists]
    expect([deepEqual(old.object, next.object), deepEqual(next.object, old.object)]).to.deep.equal([false, false])
    expect([old.lists, next.lists]).to.deep.equal(before)
  })
})
