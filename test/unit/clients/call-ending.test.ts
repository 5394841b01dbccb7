import { once } from 'node:events'
import { expect } from 'chai'
import { callEnding } from '../../../src/clients/call-ending.ts'
import { timeoutError } from '../../../src/meta/status.ts'

describe('callEnding', () => {
  it('has no reason while the call may continue', () => {
    const ending = callEnding(60_000, new AbortController().signal)
    expect([ending.why(), ending.signal.aborted]).to.deep.equal([undefined, false])
    ending.dispose()
  })

  for (const [title, reason, why] of [
    ['a client that disconnected', new Error('gone'), 'context canceled'],
    ['a request that timed out', timeoutError('late', 0), 'context deadline exceeded'],
  ] as const)
    for (const begun of [false, true])
      it(`reports ${title}${begun ? ' before the call' : ''}`, () => {
        const waiting = new AbortController()
        if (begun) waiting.abort(reason)
        const ending = callEnding(60_000, waiting.signal)
        if (!begun) waiting.abort(reason)
        expect([ending.why(), ending.signal.aborted]).to.deep.equal([why, true])
        ending.dispose()
      })

  it('reports its own timeout, whatever happens to the request later', async () => {
    const waiting = new AbortController()
    const ending = callEnding(1, waiting.signal)
    await once(ending.signal, 'abort')
    waiting.abort(new Error('gone'))
    expect(ending.why()).to.equal('context deadline exceeded')
    ending.dispose()
  })

  it("reports the client's cancellation if that came first", async () => {
    const waiting = new AbortController()
    const ending = callEnding(1, waiting.signal)
    waiting.abort(new Error('gone'))
    await new Promise(resolve => setTimeout(resolve, 5))
    expect(ending.why()).to.equal('context canceled')
    ending.dispose()
  })

  it('does not abort once it is disposed', async () => {
    const waiting = new AbortController()
    const ending = callEnding(1, waiting.signal)
    ending.dispose()
    waiting.abort()
    await new Promise(resolve => setTimeout(resolve, 5))
    expect(ending.signal.aborted).to.equal(false)
  })
})
