import { expect } from 'chai'
import { FanOut } from '../../../../src/storage/cacher/fan-out.ts'
import { Interest, LONGEST_PENDING } from '../../../../src/storage/cacher/interest.ts'
import { EventQueue } from '../../../../src/storage/event-queue.ts'
import { RecordedChange } from '../../../../src/storage/recorded-change.ts'
import { revision } from '../../../../src/storage/revision.ts'
import { Stored } from '../../../../src/storage/stored-object.ts'
import { batchesOf } from '../../../support/batches.ts'
import { everything, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'

describe('storage/cacher/interest', () => {
  const codec = testCodec
  const change = (at: number): RecordedChange => {
    const object = new Stored(testKey('a'), revision(at), codec, codec.json(codec.encode(testObject('a')), revision(at)))
    return new RecordedChange(object.key, revision(at), object, undefined)
  }

  it('ends watches with too many pending changes as slow, and lets them start again', async () => {
    const interest = new Interest(testPrefix, new FanOut())
    const ends: boolean[] = []
    const open = (): EventQueue => {
      const queue: EventQueue = new EventQueue(10 * LONGEST_PENDING, slow => {
        ends.push(slow)
        interest.remove(watcher)
      })
      const watcher = {
        queue,
        predicate: everything,
        seen: revision(0),
        nextBookmark: Number.POSITIVE_INFINITY,
        lastBookmark: Number.POSITIVE_INFINITY,
      }
      interest.add(watcher, { below: testPrefix })
      return queue
    }
    const first = open()
    const one = change(1)
    for (let i = 0; i < LONGEST_PENDING; i++) interest.publish(one)
    expect(first.ended).to.equal(false)
    interest.publish(change(2))
    expect([first.ended, ends, interest.size]).to.deep.equal([true, [true], 0])
    const second = open()
    interest.publish(change(3))
    const given = await batchesOf(second).next()
    expect((given.value as { revision: number }[]).map(event => event.revision)).to.deep.equal([3])
  })

  it('reports the largest number of watchers of the same changes', () => {
    const interest = new Interest(testPrefix, new FanOut())
    const add = (scope: { name?: string; indexed?: string } = {}) => {
      const watcher = {
        queue: new EventQueue(10, () => {}),
        predicate: everything,
        seen: revision(0),
        nextBookmark: Number.POSITIVE_INFINITY,
        lastBookmark: Number.POSITIVE_INFINITY,
      }
      interest.add(watcher, { below: testPrefix, ...scope })
      return watcher
    }
    for (let i = 0; i < 3; i++) add({ name: `n${i}` })
    for (let i = 0; i < 3; i++) add({ indexed: `v${i}` })
    expect(interest.widest).to.equal(0)
    const [first] = [add(), add()]
    expect(interest.widest).to.equal(2)
    interest.remove(first)
    expect(interest.widest).to.equal(1)
  })
})
