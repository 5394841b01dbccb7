import { expect } from 'chai'
import { turnIsSpent } from '../../../../src/lib/turn.ts'
import { emptyTree, type ObjectTree, scanTree } from '../../../../src/storage/cacher/object-tree.ts'
import { revision } from '../../../../src/storage/revision.ts'
import type { Predicate } from '../../../../src/storage/storage.ts'
import { Stored } from '../../../../src/storage/stored-object.ts'
import { everything, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'

const keyOf = (number: number) => testKey(`o${String(number).padStart(5, '0')}`)

function treeOf(count: number): ObjectTree {
  const tree = emptyTree()
  for (let i = 0; i < count; i++)
    tree.set(keyOf(i), Stored.read(keyOf(i), revision(i + 1), testCodec, testCodec.encode(testObject(`o${i}`))))
  return tree
}

function spendTurn(): void {
  turnIsSpent()
  for (const until = performance.now() + 4; performance.now() < until; );
}

const all: Predicate = { matches: () => true, everything: false }

describe('scanTree', () => {
  for (const [what, predicate] of Object.entries({ everything, 'the matches of a predicate': all }))
    for (const count of [1, 5, 127, 128, 129, 1024, 1025, 3000])
      it(`returns ${what} of ${count} as of the start of the scan, however busy it is`, async () => {
        const tree = treeOf(count)
        spendTurn()
        const scan = scanTree(tree, { prefix: testPrefix, start: testPrefix }, predicate, 0)
        for (let i = 0; i < count; i += 2) tree.delete(keyOf(i))
        const { items, looked, last } = await scan
        expect(items.map(({ key }) => key)).to.deep.equal(Array.from({ length: count }, (_, i) => keyOf(i)))
        expect([looked, last]).to.deep.equal([count, undefined])
      })

  it('counts the objects after a page as of its start, in a later turn if this one is spent', async () => {
    const tree = treeOf(5000)
    let turns = 0
    setImmediate(() => turns++)
    spendTurn()
    const scan = scanTree(tree, { prefix: testPrefix, start: testPrefix }, everything, 10)
    for (let i = 0; i < 5000; i += 2) tree.delete(keyOf(i))
    expect([(await scan).remaining, turns]).to.deep.equal([4990, 1])
    expect((await scanTree(tree, { prefix: testPrefix, start: testPrefix }, everything, 2500)).remaining).to.equal(undefined)
    expect((await scanTree(tree, { prefix: testPrefix, start: testPrefix }, everything, 2499)).remaining).to.equal(1)
  })

  it('looks at the clock after each object that is large, and keeps the state of its start', async () => {
    const tree = emptyTree()
    for (let i = 0; i < 20; i++)
      tree.set(
        keyOf(i),
        Stored.read(keyOf(i), revision(i + 1), testCodec, testCodec.encode(testObject(`o${i}`, { large: 'x'.repeat(1024 * 1024) }))),
      )
    let turns = 0
    let looked = 0
    const count = (): void => {
      turns++
      if (looked < 20) setImmediate(count)
    }
    setImmediate(count)
    const slow: Predicate = {
      matches() {
        looked++
        spendTurn()
        return true
      },
      everything: false,
    }
    const scan = scanTree(tree, { prefix: testPrefix, start: testPrefix }, slow, 0)
    for (let i = 0; i < 20; i++) tree.delete(keyOf(i))
    expect((await scan).items).to.have.length(20)
    expect(turns).to.be.greaterThan(15)
  })

  it('yields when the turn is spent', async () => {
    let busy = 0
    const slow: Predicate = {
      matches() {
        if (++busy % 100 === 0) spendTurn()
        return true
      },
      everything: false,
    }
    let turns = 0
    const count = (): void => {
      turns++
      if (busy < 2000) setImmediate(count)
    }
    setImmediate(count)
    await scanTree(treeOf(2000), { prefix: testPrefix, start: testPrefix }, slow, 0)
    expect(turns).to.be.greaterThan(5)
  })
})
