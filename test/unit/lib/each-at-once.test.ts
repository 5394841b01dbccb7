import { expect } from 'chai'
import { eachAtOnce } from '../../../src/lib/each-at-once.ts'

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('eachAtOnce', () => {
  it('starts work in order, up to the limit', async () => {
    const begun: number[] = []
    const ends: (() => void)[] = []
    const done = eachAtOnce([1, 2, 3, 4], 2, item => {
      begun.push(item)
      return new Promise(resolve => ends.push(resolve))
    })
    await settled()
    expect(begun).to.deep.equal([1, 2])
    ends[1]?.()
    await settled()
    expect(begun).to.deep.equal([1, 2, 3])
    ends[0]?.()
    ends[2]?.()
    await settled()
    ends[3]?.()
    await done
    expect(begun).to.deep.equal([1, 2, 3, 4])
  })

  it('starts no work after a failure, and rejects once the pending work has ended', async () => {
    const begun: number[] = []
    let end = (): void => {}
    let told: unknown
    const done = eachAtOnce([1, 2, 3, 4], 2, async item => {
      begun.push(item)
      if (item === 2) throw new Error('no')
      await new Promise<void>(resolve => {
        end = resolve
      })
    }).catch(error => {
      told = error
    })
    await settled()
    expect(told).to.equal(undefined)
    end()
    await done
    expect(String(told)).to.equal('Error: no')
    expect(begun).to.deep.equal([1, 2])
  })
})
