import { expect } from 'chai'
import { Heap } from '../../../src/lib/heap.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

describe('Heap', () => {
  it('returns items in order, however they are added and taken', () => {
    const random = seededRandom(1)
    const heap = new Heap<number>((a, b) => a < b)
    const kept: number[] = []
    const taken: number[] = []
    const expected: number[] = []
    for (let i = 0; i < 2000; i++)
      if (random() < 0.6) {
        const item = Math.floor(random() * 500)
        heap.push(item)
        kept.push(item)
      } else {
        kept.sort((a, b) => b - a)
        const lowest = kept.pop()
        if (lowest !== undefined) expected.push(lowest)
        expect(heap.peek()).to.equal(lowest)
        const item = heap.pop()
        if (item !== undefined) taken.push(item)
      }
    expect(taken).to.deep.equal(expected)
    expect(heap.size).to.equal(kept.length)
  })
})
