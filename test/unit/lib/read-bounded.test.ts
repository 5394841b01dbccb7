import { expect } from 'chai'
import { type ReadBound, readBounded } from '../../../src/lib/read-bounded.ts'
import { rejection } from '../../support/filter-context.ts'

describe('readBounded', () => {
  const tooLong = (): Error => new Error('too long')

  /** Reads pieces of these lengths. `taken`: number of pieces read. */
  async function reading(lengths: readonly number[], bound: Omit<ReadBound, 'tooLong'>) {
    let taken = 0
    async function* body() {
      for (const length of lengths) {
        taken++
        yield Buffer.alloc(length, taken)
      }
    }
    const outcome = await readBounded(body(), { ...bound, tooLong }).catch(String)
    return { outcome, taken }
  }

  it('returns a body as long as the bound in one piece', async () => {
    const { outcome } = await reading([2, 0, 1], { maxBytes: 3 })
    expect(outcome).to.deep.equal(Buffer.from([1, 1, 3]))
  })

  it('returns an empty buffer for an empty body', async () =>
    expect((await reading([], { maxBytes: 0 })).outcome).to.deep.equal(Buffer.alloc(0)))

  it('stops reading at the piece that exceeds the bound', async () => {
    expect(await reading([2, 2, 2, 2], { maxBytes: 3 })).to.deep.equal({ outcome: 'Error: too long', taken: 2 })
  })

  it('reserves bytes in the shared room while it reads, and releases them in any case', async () => {
    for (const [maxBytes, most] of [
      [10, 10],
      [3, 10],
      [10, 3],
    ] as const) {
      let bytes = 0
      let highest = 0
      const room = {
        take(more: number) {
          if (bytes + more > most) throw new Error('no room')
          bytes += more
          highest = Math.max(highest, bytes)
        },
        leave: (left: number) => {
          bytes -= left
        },
      }
      const { outcome } = await reading([2, 2, 2], { maxBytes, room })
      const expected = most === 3 ? 'Error: no room' : maxBytes === 3 ? 'Error: too long' : Buffer.from([1, 1, 2, 2, 3, 3])
      expect({ outcome, bytes, highest }).to.deep.equal({ outcome: expected, bytes: 0, highest: most === 3 ? 2 : maxBytes === 3 ? 4 : 6 })
    }
  })

  it('rejects with the error of the body', async () => {
    async function* broken() {
      yield Buffer.alloc(1)
      throw new Error('reset')
    }
    expect(String(await rejection(readBounded(broken(), { maxBytes: 9, tooLong })))).to.equal('Error: reset')
  })
})
