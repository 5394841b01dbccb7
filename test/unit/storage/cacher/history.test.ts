import { expect } from 'chai'
import { History } from '../../../../src/storage/cacher/history.ts'
import { RecordedChange } from '../../../../src/storage/recorded-change.ts'
import type { Key, Revision } from '../../../../src/storage/revision.ts'
import type { ResourceCodec } from '../../../../src/storage/storage.ts'
import { Stored } from '../../../../src/storage/stored-object.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'

const key = '/registry/things/a' as Key
const codec = {} as ResourceCodec

/** So many changes of an object of so many bytes, in revisions from 1 on. */
function filled(history: History, count: number, bytes: number): WeakRef<Stored>[] {
  const kept: WeakRef<Stored>[] = []
  let previous: Stored | undefined
  for (let i = 1; i <= count; i++) {
    const object = new Stored(key, i as Revision, codec, { bytes: Buffer.alloc(bytes), header: 1 })
    kept.push(new WeakRef(object))
    history.add(new RecordedChange(key, i as Revision, object, previous), i)
    previous = object
  }
  return kept
}

const alive = (objects: readonly WeakRef<Stored>[]): number => objects.filter(object => object.deref() !== undefined).length

describe('History', () => {
  it('keeps changes within its byte limit', () => {
    const history = new History(0 as Revision, { windowMs: 1000, bytes: 10 * 1300 })
    filled(history, 25, 1000)
    expect(history.length).to.equal(10)
    expect(history.forcedOut).to.equal(15)
    expect(history.since).to.equal(15)
    expect(history.after(14 as Revision)).to.equal(undefined)
    expect(history.after(15 as Revision)?.map(({ revision }) => revision)).to.deep.equal([16, 17, 18, 19, 20, 21, 22, 23, 24, 25])
    expect(history.after(25 as Revision)).to.deep.equal([])
  })

  it('releases dropped changes immediately', async () => {
    const bounded = new History(0 as Revision, { windowMs: 1000, bytes: 10 * 1300 })
    const forcedOut = filled(bounded, 500, 1000)
    const timed = new History(0 as Revision, { windowMs: 100, bytes: 1 << 20 })
    const expired = filled(timed, 500, 1000)
    timed.expire(590)
    await collectGarbage()
    // With the one before the oldest.
    expect(alive(forcedOut)).to.equal(11)
    expect(timed.length).to.equal(11)
    expect(alive(expired)).to.equal(12)
  })
})
