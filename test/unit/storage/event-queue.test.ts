import { expect } from 'chai'
import { EventQueue } from '../../../src/storage/event-queue.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { StorageEvent, StoredObject } from '../../../src/storage/storage.ts'
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

  it('gives batches in order, each as it was pushed', async () => {
    const queue = open(10)
    const batch = marks(1, 2)
    queue.push(batch)
    queue.push(marks(3))
    const iterator = queue[Symbol.asyncIterator]()
    expect((await iterator.next()).value).to.equal(batch)
    expect(numbers((await iterator.next()).value as StorageEvent[])).to.deep.equal([3])
  })

  it('gives what it begins with first', async () => {
    const queue = open(10, [marks(1), marks(2)][Symbol.iterator]())
    queue.push(marks(3))
    expect(numbers(await take(queue, 3))).to.deep.equal([1, 2, 3])
  })

  it('wakes one who waits', async () => {
    const queue = open(10)
    const waiting = take(queue, 1)
    await new Promise(setImmediate)
    queue.push(marks(1))
    queue.wake()
    expect(numbers(await waiting)).to.deep.equal([1])
  })

  it('ends when more wait than it may hold, once', async () => {
    const queue = open(3)
    expect([queue.push(marks(1, 2)), queue.push(marks(3)), queue.push(marks(4)), queue.push(marks(5))]).to.deep.equal([true, true, false, false])
    expect(await take(queue, 1)).to.deep.equal([])
    expect(closed).to.equal(1)
  })

  it('takes one batch of any size when empty', () => {
    const queue = open(3)
    expect(queue.push(marks(1, 2, 3, 4, 5))).to.equal(true)
    expect(queue.queued).to.equal(5)
  })

  describe('bounds in bytes', () => {
    const object = (bytes: number) => ({ json: () => ({ bytes: Buffer.alloc(bytes), header: 0 }) }) as unknown as StoredObject
    const batch = (...bytes: number[]): readonly StorageEvent[] => bytes.map(size => ({ type: 'added', object: object(size), revision: revision(1) }))
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

    it('count what still waits only', async () => {
      const queue = bounded()
      const reader = queue[Symbol.asyncIterator]()
      for (let i = 0; i < 50; i++) {
        expect(queue.push(batch(30)), `batch ${i}`).to.equal(true)
        if (i > 2) await reader.next()
      }
      while (queue.queued > 0) await reader.next()
      expect([batch(5000), batch(100)].map(each => queue.push(each))).to.deep.equal([true, true])
      expect(queue.push(batch(1))).to.equal(false)
    })

    it('tell a slow client from one that leaves', () => {
      bounded().close()
      bounded().close(true)
      bounded().finish(new Error('lost'))
      expect(ends).to.deep.equal([false, true, false])
    })
  })

  it('gives what is queued before it fails', async () => {
    const queue = open(3)
    queue.push(marks(1))
    queue.finish(new Error('lost'))
    const iterator = queue[Symbol.asyncIterator]()
    expect(numbers((await iterator.next()).value as StorageEvent[])).to.deep.equal([1])
    let message = ''
    await iterator.next().catch(error => {
      message = error.message
    })
    expect(message).to.equal('lost')
    expect((await iterator.next()).done).to.equal(true)
  })

  it('fails one who waits', async () => {
    const queue = open(3)
    const waiting = queue[Symbol.asyncIterator]().next()
    await new Promise(setImmediate)
    queue.finish(new Error('lost'))
    let message = ''
    await waiting.catch(error => {
      message = error.message
    })
    expect(message).to.equal('lost')
  })

  it('closes when its reader leaves', async () => {
    const queue = open(3)
    queue.push(marks(1))
    for await (const _ of queue) break
    expect([queue.ended, closed, queue.push(marks(2))]).to.deep.equal([true, 1, false])
  })
})
