import { expect } from 'chai'
import { Heap, type HeapEntry } from '../../../src/lib/heap.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

interface Item extends HeapEntry {
  readonly value: number
}

const byValue = () => new Heap<Item>((a, b) => a.value < b.value)

describe('Heap', () => {
  it('returns items in order, however they are added and taken', () => {
    const random = seededRandom(1)
    const heap = byValue()
    const kept: number[] = []
    const taken: number[] = []
    const expected: number[] = []
    for (let i = 0; i < 2000; i++)
      if (random() < 0.6) {
        const value = Math.floor(random() * 500)
        heap.add({ value, index: -1 })
        kept.push(value)
      } else {
        kept.sort((a, b) => b - a)
        const lowest = kept.pop()
        if (lowest !== undefined) expected.push(lowest)
        const { first } = heap
        expect(first?.value).to.equal(lowest)
        if (first === undefined) continue
        heap.remove(first)
        taken.push(first.value)
      }
    expect(taken).to.deep.equal(expected)
    expect(heap.size).to.equal(kept.length)
  })

  it('removes any entry, and each once', () => {
    const random = seededRandom(2)
    const heap = byValue()
    const entries = Array.from({ length: 500 }, (): Item => ({ value: Math.floor(random() * 100), index: -1 }))
    for (const entry of entries) heap.add(entry)
    const left = entries.filter(entry => {
      const isRemoved = random() < 0.5
      if (isRemoved) for (let i = 0; i < 2; i++) heap.remove(entry)
      return !isRemoved
    })
    const values: number[] = []
    for (let { first } = heap; first !== undefined; { first } = heap) {
      heap.remove(first)
      values.push(first.value)
    }
    expect(values).to.deep.equal(left.map(({ value }) => value).sort((a, b) => a - b))
  })
})
