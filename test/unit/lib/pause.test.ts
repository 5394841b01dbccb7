import { expect } from 'chai'
import { pause } from '../../../src/lib/pause.ts'

describe('pause', () => {
  it('says that the time has passed', async () => expect(await pause(1, new AbortController().signal)).to.equal(true))

  it('ends with its signal', async () => {
    const over = new AbortController()
    const paused = pause(60_000, over.signal)
    over.abort()
    expect(await paused).to.equal(false)
  })

  it('of more than a timer takes does not end at once', async () => {
    const over = new AbortController()
    const paused = pause(2 ** 31, over.signal)
    expect(await pause(20, new AbortController().signal)).to.equal(true)
    over.abort()
    expect(await paused).to.equal(false)
  })

  it('does not begin where the signal has aborted', async () => expect(await pause(60_000, AbortSignal.abort())).to.equal(false))
})
