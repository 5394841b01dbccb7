import { expect } from 'chai'
import { CHANGES_PER_ROUND, PendingChanges } from '../../../../src/storage/cacher/pending-changes.ts'
import { RecordedChange } from '../../../../src/storage/recorded-change.ts'
import { revision } from '../../../../src/storage/revision.ts'
import { Stored } from '../../../../src/storage/stored-object.ts'
import { testCodec, testKey, testObject } from '../../../support/test-codec.ts'

const storedOf = (at: number, bytes: number): Stored =>
  new Stored(
    testKey('a'),
    revision(at),
    testCodec,
    testCodec.json(testCodec.encode(testObject('a', { filler: 'x'.repeat(bytes) })), revision(at)),
  )

describe('storage/cacher/pending-changes', () => {
  let pending: PendingChanges
  const add = (count: number, bytes = 0): void => {
    for (let i = 0; i < count; i++) pending.push(new RecordedChange(testKey('a'), revision(i + 1), storedOf(i + 1, bytes), undefined))
  }
  const remove = (count: number, bytes: number): void => {
    for (let i = 0; i < count; i++) pending.push(new RecordedChange(testKey('a'), revision(i + 1), undefined, storedOf(i + 1, bytes)))
  }
  const mayAdd = (): boolean => pending.untilFew() === undefined

  beforeEach(() => {
    pending = new PendingChanges()
  })

  it('returns changes in rounds, in order', () => {
    add(CHANGES_PER_ROUND + 2)
    expect(pending.takeRound().map(change => change.revision)).to.deep.equal(Array.from({ length: CHANGES_PER_ROUND }, (_, i) => i + 1))
    expect(pending.length).to.equal(2)
    expect(pending.takeRound().map(change => change.revision)).to.deep.equal([CHANGES_PER_ROUND + 1, CHANGES_PER_ROUND + 2])
    expect(pending.takeRound()).to.deep.equal([])
  })

  it('never splits the changes of one revision', () => {
    add(CHANGES_PER_ROUND - 1)
    for (let i = 0; i < 3; i++)
      pending.push(new RecordedChange(testKey('a'), revision(CHANGES_PER_ROUND), storedOf(CHANGES_PER_ROUND, 0), undefined))
    add(1)
    expect(pending.takeRound()).to.have.length(CHANGES_PER_ROUND + 2)
    expect(pending.length).to.equal(1)
  })

  it('releases writers when fewer than four rounds are pending', async () => {
    add(4 * CHANGES_PER_ROUND - 1)
    expect(mayAdd()).to.equal(true)
    add(CHANGES_PER_ROUND + 1)
    const woken: string[] = []
    const waiting = ['first', 'second'].map(name => pending.untilFew()?.then(() => woken.push(name)))
    pending.takeRound()
    await Promise.resolve()
    expect([woken, mayAdd()]).to.deep.equal([[], false])
    pending.takeRound()
    await Promise.all(waiting)
    expect([woken, mayAdd()]).to.deep.equal([['first', 'second'], true])
  })

  for (const [what, fill] of [
    ['objects', add],
    ['deleted objects', remove],
  ] as const)
    it(`counts the bytes of ${what}`, () => {
      fill(CHANGES_PER_ROUND, 64 << 10)
      expect(mayAdd()).to.equal(true)
      fill(CHANGES_PER_ROUND, 64 << 10)
      expect(mayAdd()).to.equal(false)
      pending.takeRound()
      expect(mayAdd()).to.equal(true)
      pending.takeRound()
      fill(4 * CHANGES_PER_ROUND - 1, 0)
      expect(mayAdd()).to.equal(true)
    })
})
