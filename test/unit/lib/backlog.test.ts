import { expect } from 'chai'
import { Backlog } from '../../../src/lib/backlog.ts'

describe('Backlog', () => {
  const writer = (unwritten: number) => ({ open: true, unwritten })

  it('allows few slow writers a large backlog, and many a small one', () => {
    const time = { now: 0 }
    const backlog = new Backlog({ budget: 1000, most: 500, least: 10 }, { now: () => time.now })
    const limits: number[] = []
    for (const count of [1, 1, 2, 16, 180]) {
      for (let i = 0; i < count; i++) backlog.exceeds(writer(1))
      time.now += 10
      limits.push(backlog.limit)
    }
    expect(limits).to.deep.equal([500, 500, 250, 50, 10])
  })

  it('ignores writers that have caught up or are closed', () => {
    const time = { now: 0 }
    const backlog = new Backlog({ budget: 1000, most: 500, least: 10 }, { now: () => time.now })
    const writers = Array.from({ length: 100 }, () => writer(20))
    expect(writers.map(each => backlog.exceeds(each))).not.to.include(true)
    time.now += 10
    expect(backlog.exceeds(writers[0] ?? writer(0))).to.equal(true)
    for (const each of writers.slice(0, 50)) each.open = false
    for (const each of writers.slice(50, 99)) each.unwritten = 0
    time.now += 10
    expect(backlog.limit).to.equal(500)
    expect(backlog.exceeds(writer(0))).to.equal(false)
  })
})
