import { expect } from 'chai'
import { EventQueue } from '../../../src/storage/event-queue.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { StorageEvent, StoredObject } from '../../../src/storage/storage.ts'
import { batchesOf } from '../../support/batches.ts'
import { take } from '../../support/test-codec.ts'

const mark = (n: number): StorageEvent => ({ type: 'bookmark', revision: revision(n), initialEnd: false })
const marks = (...numbers: number[]) => numbers.map(mark)
const numbers = (events: readonly StorageEvent[]) => events.map(event => event.revision)

describe('storage/event-queue', () => {
  let closed = 0
  const open = (limit: number, initial?: Iterator<readonly StorageEvent[]>) => new EventQueue(limit, () => closed++, initial)

  beforeEach(() => {
    closed = 0
  })

  it('delivers batches in order, each as it was pushed', async () => {
    const queue = open(10)
    const batch = marks(1, 2)
    queue.push(batch)
    queue.push(marks(3))
    const iterator = batchesOf(queue)
    expect((await iterator.next()).value).to.equal(batch)
    expect(numbers((await iterator.next()).value as StorageEvent[])).to.deep.equal([3])
  })

  it('delivers the initial events first', async () => {
    const queue = open(10, [marks(1), marks(2)][Symbol.iterator]())
    queue.push(marks(3))
    expect(numbers(await take(queue, 3))).to.deep.equal([1, 2, 3])
  })

  it('wakes a waiting taker', async () => {
    const queue = open(10)
    const waiting = take(queue, 1)
    await new Promise(setImmediate)
    queue.push(marks(1))
    expect(numbers(await waiting)).to.deep.equal([1])
  })

  it('ends once, when it is over its limit', async () => {
    const queue = open(3)
    expect([queue.push(marks(1, 2)), queue.push(marks(3)), queue.push(marks(4)), queue.push(marks(5))]).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
    expect(await take(queue, 1)).to.deep.equal([])
    expect(closed).to.equal(1)
  })

  it('accepts one batch of any size when empty', () => {
    const queue = open(3)
    expect(queue.push(marks(1, 2, 3, 4, 5))).to.equal(true)
    expect(queue.queued).to.equal(5)
  })

  describe('bounds in bytes', () => {
    const object = (bytes: number) => ({ json: () => ({ bytes: Buffer.alloc(bytes), header: 0 }) }) as unknown as StoredObject
    const batch = (...bytes: number[]): readonly StorageEvent[] =>
      bytes.map(size => ({ type: 'added', object: object(size), revision: revision(1) }))
    let ends: boolean[]
    const bounded = () => new EventQueue(1000, slow => ends.push(slow), undefined, 100)
    beforeEach(() => {
      ends = []
    })

    it('end the watcher as a slow one', () => {
      const queue = bounded()
      expect([batch(1000), batch(60), batch(20, 20), marks(1)].map(each => queue.push(each))).to.deep.equal([true, true, true, true])
      expect(queue.push(batch(1))).to.equal(false)
      expect([queue.ended, ends]).to.deep.equal([true, [true]])
    })

    it('count only queued batches', async () => {
      const queue = bounded()
      const reader = batchesOf(queue)
      for (let i = 0; i < 50; i++) {
        expect(queue.push(batch(30)), `batch ${i}`).to.equal(true)
        if (i > 2) await reader.next()
      }
      while (queue.queued > 0) await reader.next()
      expect([batch(5000), batch(100)].map(each => queue.push(each))).to.deep.equal([true, true])
      expect(queue.push(batch(1))).to.equal(false)
    })

    it('distinguish a slow client from one that disconnects', () => {
      bounded().close()
      bounded().close(true)
      bounded().finish(new Error('lost'))
      expect(ends).to.deep.equal([false, true, false])
    })
  })

  it('delivers queued batches before it fails', async () => {
    const queue = open(3)
    queue.push(marks(1))
    queue.finish(new Error('lost'))
    const iterator = batchesOf(queue)
    expect(numbers((await iterator.next()).value as StorageEvent[])).to.deep.equal([1])
    let message = ''
    await iterator.next().catch(error => {
      message = error.message
    })
    expect(message).to.equal('lost')
    expect((await iterator.next()).done).to.equal(true)
  })

  it('fails a waiting taker', async () => {
    const queue = open(3)
    const waiting = batchesOf(queue).next()
    await new Promise(setImmediate)
    queue.finish(new Error('lost'))
    let message = ''
    await waiting.catch(error => {
      message = error.message
    })
    expect(message).to.equal('lost')
  })

  it('closes when its reader ends', async () => {
    const queue = open(3)
    queue.push(marks(1))
    for await (const _ of batchesOf(queue)) break
    expect([queue.ended, closed, queue.push(marks(2))]).to.deep.equal([true, 1, false])
  })

  it('notifies a waiting source when there is room', async () => {
    const queue = open(2)
    expect(queue.fits(marks(1, 2, 3, 4, 5))).to.equal(true)
    queue.push(marks(1, 2))
    expect([queue.fits(marks(3)), queue.fits([])]).to.deep.equal([false, true])
    let taken = false
    const waiting = queue.whenTaken().then(() => {
      taken = true
    })
    await new Promise(setImmediate)
    expect(taken).to.equal(false)
    await take(queue, 2)
    await waiting
    expect(queue.fits(marks(1, 2))).to.equal(true)
  })

  it('releases a waiting source when it ends', async () => {
    const queue = open(1)
    queue.push(marks(1))
    const waiting = queue.whenTaken()
    queue.close()
    await waiting
    await queue.whenTaken()
  })

  describe('deliver', () => {
    const taken: number[] = []
    const note = (events: readonly StorageEvent[]): true => {
      taken.push(...numbers(events))
      return true
    }

    beforeEach(() => {
      taken.length = 0
    })

    it('delivers initial events, queued batches, and new ones in the turn in which they arrive', async () => {
      const queue = open(10, [marks(1), marks(2)][Symbol.iterator]())
      queue.push(marks(3))
      void queue.deliver(note)
      while (taken.length < 3) await new Promise(setImmediate)
      queue.push(marks(4))
      queue.push(marks(5))
      expect(taken).to.deep.equal([1, 2, 3, 4, 5])
    })

    it('joins queued batches up to a number of events', async () => {
      const queue = open(100)
      const batches: number[][] = []
      for (const batch of [marks(1), marks(2, 3), marks(4, 5, 6), marks(7)]) queue.push(batch)
      void queue.deliver(events => batches.push(numbers(events)) > 0, 4)
      await new Promise(setImmediate)
      expect(batches).to.deep.equal([[1, 2, 3, 4, 5, 6], [7]])
    })

    it('waits for a busy taker while it is within its limit', async () => {
      const queue = open(2)
      let ready: (value: boolean) => void = () => {}
      const over = queue.deliver(events => {
        note(events)
        return new Promise(resolve => {
          ready = resolve
        })
      })
      queue.push(marks(1))
      await new Promise(setImmediate)
      queue.push(marks(1))
      queue.push(marks(2))
      expect(taken).to.deep.equal([1])
      ready(true)
      await new Promise(setImmediate)
      expect(taken).to.deep.equal([1, 1])
      queue.push(marks(3))
      expect(queue.push(marks(4))).to.equal(false)
      ready(true)
      await over
      expect([taken, closed]).to.deep.equal([[1, 1], 1])
    })

    it('closes the watch when the taker returns or resolves false', async () => {
      for (const answer of [() => false, async () => false]) {
        const queue = open(3)
        queue.push(marks(1))
        const over = queue.deliver(answer)
        await over
        expect([queue.ended, queue.push(marks(2))]).to.deep.equal([true, false])
      }
    })

    it('rejects with the failure of the watch after earlier batches, and with errors of the taker', async () => {
      const queue = open(3)
      queue.push(marks(1))
      queue.finish(new Error('lost'))
      const failure = await queue.deliver(note).catch(error => error)
      expect([taken, failure.message]).to.deep.equal([[1], 'lost'])
      for (const fault of [
        () => {
          throw new Error('broken')
        },
        () => Promise.reject(new Error('broken')),
      ]) {
        const other = open(3)
        other.push(marks(1))
        expect((await other.deliver(fault).catch(error => error)).message).to.equal('broken')
        expect(other.ended).to.equal(true)
      }
    })

    it('resolves when a waiting watch is closed', async () => {
      const queue = open(3)
      const over = queue.deliver(note)
      await new Promise(setImmediate)
      queue.close()
      await over
      expect(closed).to.equal(1)
    })
  })
})
