import { expect } from 'chai'
import { mapInSlices } from '../../../src/lib/slices.ts'

describe('mapInSlices', () => {
  it('gives what a map gives', async () => {
    const items = Array.from({ length: 100 }, (_, i) => i)
    expect(await mapInSlices(items, i => i * 2)).to.deep.equal(items.map(i => i * 2))
  })

  it('lets the event loop turn where the work takes long', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await mapInSlices(Array.from({ length: 64 }), () => {
      const until = performance.now() + 1
      while (performance.now() < until);
    })
    clearInterval(timer)
    expect(turns).to.be.at.least(2)
  })

  it('rejects with what the function throws', async () => {
    const error = new Error('no')
    const thrown = await mapInSlices([1], () => {
      throw error
    }).catch((caught: unknown) => caught)
    expect(thrown).to.equal(error)
  })
})
