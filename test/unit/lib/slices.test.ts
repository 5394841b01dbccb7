import { expect } from 'chai'
import { mapInSlices } from '../../../src/lib/slices.ts'

describe('mapInSlices', () => {
  it('returns what map returns', async () => {
    const items = Array.from({ length: 100 }, (_, i) => i)
    expect(await mapInSlices(items, i => i * 2)).to.deep.equal(items.map(i => i * 2))
  })

  it('lets the event loop run if the work takes long', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await mapInSlices(Array.from({ length: 64 }), () => {
      const until = performance.now() + 1
      while (performance.now() < until);
    })
    clearInterval(timer)
    expect(turns).to.be.at.least(2)
  })

  it('runs each long item in a turn of its own', async () => {
    const turns: number[] = []
    let turn = 0
    const count = (): void => {
      turn++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    await mapInSlices(Array.from({ length: 6 }), () => {
      turns.push(turn)
      const until = performance.now() + 5
      while (performance.now() < until);
    })
    clearImmediate(next)
    // The first may run in the current turn if that is not spent.
    expect(new Set(turns).size).to.be.at.least(5)
  })

  it('rejects with the error that the function throws', async () => {
    const error = new Error('no')
    const thrown = await mapInSlices([1], () => {
      throw error
    }).catch((caught: unknown) => caught)
    expect(thrown).to.equal(error)
  })
})
