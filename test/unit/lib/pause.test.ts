import { expect } from 'chai'
import { pause } from '../../../src/lib/pause.ts'

describe('pause', () => {
  it('resolves with true after the time', async () => expect(await pause(1, new AbortController().signal)).to.equal(true))

  it('resolves with false when its signal aborts', async () => {
    const over = new AbortController()
    const paused = pause(60_000, over.signal)
    over.abort()
    expect(await paused).to.equal(false)
  })

  it('does not end immediately if it is longer than a timer allows', async () => {
    const over = new AbortController()
    const paused = pause(2 ** 31, over.signal)
    expect(await pause(20, new AbortController().signal)).to.equal(true)
    over.abort()
    expect(await paused).to.equal(false)
  })

  it('resolves with false if the signal is aborted', async () => expect(await pause(60_000, AbortSignal.abort())).to.equal(false))
})
