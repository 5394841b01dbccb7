import { expect } from 'chai'
import type { BindingContext } from '../../../../src/cluster/scheduler/framework.ts'
import { untilMet } from '../../../../src/cluster/scheduler/wait-for-changes.ts'
import { CLAIMS, VOLUMES } from '../../../../src/cluster/shared/kinds.ts'

describe('a wait for a condition', () => {
  const start = () => {
    const listeners = new Set<() => void>()
    const stop = new AbortController()
    let isMet = false
    let expire = (): void => {}
    let looks = 0
    const context = {
      signal: stop.signal,
      clock: {
        after(_ms: number, end: () => void) {
          expire = end
          return { close() {} }
        },
      },
      onChange(_kind: unknown, wake: () => void) {
        listeners.add(wake)
        return () => void listeners.delete(wake)
      },
    } as unknown as BindingContext
    const condition = (): boolean => {
      looks++
      return isMet
    }
    const wait = untilMet(condition, [CLAIMS, VOLUMES], context, 1000, 'too late').then(
      () => 'met',
      (error: Error) => error.message,
    )
    const change = async (): Promise<void> => {
      for (const wake of listeners) wake()
      await new Promise(resolve => setImmediate(resolve))
    }
    const meet = (): void => {
      isMet = true
    }
    return { change, expire: () => expire(), listeners, looks: () => looks, meet, stop, wait }
  }

  it('looks once after the changes of a turn, with one listener for each kind, and leaves none', async () => {
    const { change, listeners, looks, meet, wait } = start()
    for (let i = 0; i < 100; i++) await change()
    expect([listeners.size, looks()]).to.deep.equal([2, 102])
    meet()
    await change()
    expect([await wait, listeners.size]).to.deep.equal(['met', 0])
  })

  it('ends when the time is over or the signal aborts', async () => {
    const late = start()
    late.expire()
    expect([await late.wait, late.listeners.size]).to.deep.equal(['too late', 0])
    const aborted = start()
    aborted.stop.abort()
    expect([await aborted.wait, aborted.listeners.size]).to.deep.equal(['pod does not exist any more', 0])
  })
})
