import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { mappedWatcher } from '../../../src/registry/mapped-watcher.ts'
import { EventQueue } from '../../../src/storage/event-queue.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { StorageEvent, Take } from '../../../src/storage/storage.ts'

const bookmark = (at: number): StorageEvent => ({ type: 'bookmark', revision: revision(at), initialEnd: false })
const revisions = (events: readonly StorageEvent[]): number[] => events.map(event => event.revision)

/** A queue with a map whose calls the test completes. */
function world(take: Take = () => true) {
  const queue = new EventQueue(5000, () => {})
  const mapping: { readonly events: number[]; resolve(events?: readonly StorageEvent[]): void; reject(error: Error): void }[] = []
  const taken: number[][] = []
  const watcher = mappedWatcher(
    queue,
    events =>
      new Promise((resolve, reject) => mapping.push({ events: revisions(events), resolve: (made = events) => resolve(made), reject })),
  )
  const ended = watcher.deliver(events => {
    taken.push(revisions(events))
    return take(events)
  })
  ended.catch(() => {})
  const push = async (...batches: number[][]): Promise<void> => {
    for (const batch of batches) queue.push(batch.map(bookmark))
    await turn()
  }
  const next = async (events?: readonly StorageEvent[]): Promise<void> => {
    mapping.at(-1)?.resolve(events)
    await turn()
  }
  return { queue, mapping, taken, ended, push, next, asked: () => mapping.map(({ events }) => events) }
}

describe('mappedWatcher', () => {
  it('maps queued events together, in order', async () => {
    const { taken, push, next, asked, queue, ended } = world()
    await turn()
    await push([1], [2, 3], [4])
    expect(asked()).to.deep.equal([[1]])
    await next()
    expect(asked()).to.deep.equal([[1], [2, 3, 4]])
    await push([5])
    expect(asked()).to.have.length(2)
    await next()
    await next()
    expect(taken).to.deep.equal([[1], [2, 3, 4], [5]])
    queue.finish()
    await ended
  })

  it('delivers all events before the end, and drops empty batches', async () => {
    const { taken, push, next, queue, ended } = world()
    await turn()
    await push([1], [2])
    queue.finish()
    await next([])
    await next()
    await ended
    expect(taken).to.deep.equal([[2]])
  })

  it('bounds the events of a call', async () => {
    const { push, next, queue, asked } = world()
    await turn()
    const many = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i)
    await push([1], many(2, 600), many(700, 600), many(2000, 10))
    await next()
    expect(asked()[1]).to.have.length(1200)
    expect(queue.queued).to.equal(10)
    queue.close()
  })

  it('ends with the error of a call, after the batches before it, and closes the watcher', async () => {
    const { taken, push, next, mapping, queue, ended } = world()
    await turn()
    await push([1], [2])
    await next()
    mapping.at(-1)?.reject(new Error('not converted'))
    expect(await ended.catch(error => error.message)).to.equal('not converted')
    expect(taken).to.deep.equal([[1]])
    expect(queue.ended).to.equal(true)
  })

  it('ends when the consumer stops', async () => {
    const { taken, push, next, queue, ended } = world(() => false)
    await turn()
    await push([1], [2])
    await next()
    await ended
    expect([taken, queue.ended]).to.deep.equal([[[1]], true])
  })

  it('throws the error of the watcher, after the batches before it', async () => {
    const { taken, push, next, queue, ended } = world()
    await turn()
    await push([1])
    queue.finish(new Error('history is gone'))
    await next()
    expect(await ended.catch(error => error.message)).to.equal('history is gone')
    expect(taken).to.deep.equal([[1]])
  })
})
