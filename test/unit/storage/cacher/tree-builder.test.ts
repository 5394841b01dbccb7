import { expect } from 'chai'
import { emptyTree } from '../../../../src/storage/cacher/object-tree.ts'
import { TreeBuilder } from '../../../../src/storage/cacher/tree-builder.ts'
import { revision } from '../../../../src/storage/revision.ts'
import { Stored } from '../../../../src/storage/stored-object.ts'
import { testCodec, testKey, testObject } from '../../../support/test-codec.ts'

const value = testCodec.encode(testObject('a'))
const objectAt = (n: number): Stored => Stored.read(testKey('a'), revision(n), testCodec, value)
const [one, other] = [objectAt(1), objectAt(2)]
const keyOf = (i: number) => testKey(`n${String(i).padStart(6, '0')}`)
const ascending = (count: number, step = 1): number[] => Array.from({ length: count }, (_, i) => i * step)

describe('storage/cacher/tree-builder', () => {
  for (const [what, numbers] of [
    ['no object', []],
    ['one object', [3]],
    ['a part and one object', ascending(8193)],
    ['several parts', ascending(40_000)],
    ['objects before, between and after others', [...ascending(9000, 10), ...ascending(9000, 7), 5, 100_000]],
    ['the same keys again', [...ascending(10_000), ...ascending(10_000)]],
  ] as const)
    it(`builds the same tree as insertions: ${what}`, () => {
      const builder = new TreeBuilder()
      const inserted = emptyTree()
      for (const [i, n] of numbers.entries()) {
        const object = i % 3 === 0 ? one : other
        builder.add(keyOf(n), object)
        inserted.set(keyOf(n), object)
        if (i % 1000 === 0) expect(builder.size).to.equal(inserted.size)
      }
      const tree = builder.finish()
      tree.checkValid()
      expect(tree.size).to.equal(inserted.size)
      expect([...tree.entries()].every(([key, object]) => inserted.get(key) === object)).to.equal(true)
      expect([...tree.keys()]).to.deep.equal([...inserted.keys()])
    })

  it('builds a tree that can be written to, and whose clones do not change then', () => {
    const builder = new TreeBuilder()
    for (const n of ascending(20_000, 2)) builder.add(keyOf(n), one)
    const tree = builder.finish()
    const clone = tree.clone()
    for (const n of ascending(20_000)) tree.set(keyOf(n), other)
    tree.delete(keyOf(7))
    tree.checkValid()
    expect([tree.size, clone.size]).to.deep.equal([29_999, 20_000])
    expect([tree.get(keyOf(8)), clone.get(keyOf(8)), clone.get(keyOf(7))]).to.deep.equal([other, one, undefined])
  })

  it('adds to a tree that it is given', () => {
    const given = emptyTree()
    for (const n of [1, 5]) given.set(keyOf(n), one)
    const builder = new TreeBuilder(given)
    for (const n of [3, 5, 9]) builder.add(keyOf(n), other)
    expect(builder.finish().toArray()).to.deep.equal([
      [keyOf(1), one],
      [keyOf(3), other],
      [keyOf(5), other],
      [keyOf(9), other],
    ])
  })
})
