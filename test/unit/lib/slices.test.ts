import { expect } from 'chai'
import { mapInSlices } from '../../../src/lib/slices.ts'
import { HeldTime } from '../../support/held-time.ts'

describe('mapInSlices', () => {
  it('returns what map returns', async () => {
    const items = Array.from({ length: 100 }, (_, i) => i)
    expect(await mapInSlices(items, i => i * 2)).to.deep.equal(items.map(i => i * 2))
  })

  /** Runs work over so many items, each of which takes so many milliseconds. Returns the turn in which each began. */
  async function turnsOf(items: number, ms: number): Promise<number[]> {
    const time = HeldTime.hold()
    let turn = 0
    const count = (): void => {
      turn++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    try {
      return await mapInSlices(Array.from({ length: items }), () => {
        time.pass(ms)
        return turn
      })
    } finally {
      clearImmediate(next)
      time.release()
    }
  }

  it('lets the event loop run if the work takes long', async () => {
    expect(new Set(await turnsOf(64, 1)).size).to.be.at.least(4)
  })

  it('runs each long item in a turn of its own', async () => {
    // The first may run in the current turn if that is not spent.
    expect(new Set(await turnsOf(6, 5)).size).to.be.at.least(5)
  })

  it('rejects with the error that the function throws', async () => {
    const error = new Error('no')
    const thrown = await mapInSlices([1], () => {
      throw error
    }).catch((caught: unknown) => caught)
    expect(thrown).to.equal(error)
  })
})
