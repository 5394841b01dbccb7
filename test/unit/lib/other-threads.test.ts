import { expect } from 'chai'
import { computeElsewhere, isComputedElsewhere } from '../../../src/lib/other-threads.ts'

describe('computations of other threads', () => {
  it('are in progress until each of them settles', async () => {
    expect(isComputedElsewhere()).to.equal(false)
    let succeed = (_result: string): void => {}
    let fail = (_error: Error): void => {}
    const first = computeElsewhere(() => new Promise<string>(resolve => (succeed = resolve)))
    const second = computeElsewhere(() => new Promise<string>((_, reject) => (fail = reject)))
    expect(isComputedElsewhere()).to.equal(true)
    succeed('done')
    expect(await first).to.equal('done')
    expect(isComputedElsewhere()).to.equal(true)
    fail(new Error('no'))
    expect(await second.catch((error: Error) => error.message)).to.equal('no')
    expect(isComputedElsewhere()).to.equal(false)
  })
})
