import { expect } from 'chai'
import { HeapGrowth } from '../../../src/lib/heap-growth.ts'

describe('HeapGrowth', () => {
  it('applies the lowest percentage, and only reports changes', () => {
    const set: number[] = []
    const growth = new HeapGrowth(percent => void set.push(percent))
    growth.bound('watches', undefined)
    growth.bound('watches', 60)
    growth.bound('watches', 60)
    growth.bound('custom kinds', 30)
    growth.bound('watches', undefined)
    growth.bound('watches', 60)
    growth.bound('custom kinds', undefined)
    growth.bound('watches', undefined)
    expect(set).to.deep.equal([60, 30, 60, 0])
  })
})
