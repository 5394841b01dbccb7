import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { startDeadline, withDeadline } from '../../../src/lib/deadline.ts'

const untilAborted = async (signal: AbortSignal): Promise<unknown> => {
  if (!signal.aborted) await once(signal, 'abort')
  return signal.reason
}

describe('withDeadline', () => {
  it('returns the result of the work', async () => {
    expect(await withDeadline(new AbortController().signal, 60_000, async () => 7)).to.equal(7)
  })

  it('aborts with the reason of the caller', async () => {
    const caller = new AbortController()
    const work = withDeadline(caller.signal, 60_000, untilAborted)
    caller.abort('enough')
    expect(await work).to.equal('enough')
  })

  it("is aborted from the beginning if the caller's signal is", async () => {
    expect(await withDeadline(AbortSignal.abort('before'), 60_000, untilAborted)).to.equal('before')
  })

  it('aborts after the time, although garbage was collected meanwhile', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    let seen: AbortSignal | undefined
    // A caller that polls, like a loop, does not keep the signal alive by a listener.
    const work = withDeadline(new AbortController().signal, 30, async signal => {
      seen = signal
      for (let n = 0; n < 200 && !signal.aborted; n++) {
        collect()
        await sleep(1)
      }
    })
    await work
    expect(seen?.reason).to.include({ name: 'TimeoutError', message: 'context deadline exceeded' })
  })
})

describe('startDeadline', () => {
  it('reports whether its time ran out first', async () => {
    const caller = new AbortController()
    const [late, left] = [startDeadline(1, new AbortController().signal), startDeadline(1, caller.signal)]
    expect([late.isOver(), left.isOver()]).to.deep.equal([false, false])
    caller.abort('gone')
    await once(late.signal, 'abort')
    await sleep(2)
    expect([late.isOver(), left.isOver(), left.signal.reason]).to.deep.equal([true, false, 'gone'])
    late.dispose()
    left.dispose()
  })
})
