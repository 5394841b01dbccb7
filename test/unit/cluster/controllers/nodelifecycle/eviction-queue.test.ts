import { expect } from 'chai'
import { EvictionQueue } from '../../../../../src/cluster/controllers/nodelifecycle/eviction-queue.ts'

describe('nodes that wait for eviction', () => {
  const queueOf = (rate: number, ...nodes: string[]): EvictionQueue => {
    const queue = new EvictionQueue(rate)
    for (const node of nodes) queue.add(node)
    return queue
  }

  it('follow one another at the rate of the zone, the first one at once', () => {
    const queue = queueOf(0.1, 'a', 'b')
    expect([queue.take(0), queue.take(9999), queue.untilNext(9999), queue.take(10_000), queue.untilNext(10_000)]).to.deep.equal([
      'a',
      undefined,
      1,
      'b',
      undefined,
    ])
  })

  it('are returned once, until they are removed', () => {
    const queue = queueOf(0.1, 'a')
    queue.take(0)
    queue.add('a')
    expect(queue.size).to.equal(0)
    queue.remove('a')
    queue.add('a')
    expect(queue.take(20_000)).to.equal('a')
  })

  it('stay while the rate is 0, and do not follow at once when it rises', () => {
    const queue = queueOf(0, 'a')
    expect([queue.take(1e9), queue.untilNext(0)]).to.deep.equal([undefined, undefined])
    queue.setRate(0.1, 5000)
    expect([queue.take(5000), queue.untilNext(5000), queue.take(15_000)]).to.deep.equal([undefined, 10_000, 'a'])
  })
})
