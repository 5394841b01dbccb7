import { expect } from 'chai'
import { ChangeWaiters } from '../../../../src/cluster/scheduler/change-waiters.ts'
import type { InformerHandler } from '../../../../src/cluster/shared/informer.ts'
import type { Informers } from '../../../../src/cluster/shared/informers.ts'
import { PODS } from '../../../../src/cluster/shared/kinds.ts'

describe('waits for changes of a kind', () => {
  const start = () => {
    const handlers: InformerHandler<never>[] = []
    const informers = { of: () => ({ on: (handler: InformerHandler<never>) => handlers.push(handler) }) } as unknown as Informers
    const stop = new AbortController()
    return { handlers, stop, waiters: new ChangeWaiters(informers, stop.signal) }
  }
  const isResolved = async (promise: Promise<void>): Promise<boolean> =>
    Promise.race([promise.then(() => true), new Promise<boolean>(resolve => setImmediate(() => resolve(false)))])

  it('wakes every waiter at the next change, with one handler for the kind', async () => {
    const { handlers, waiters } = start()
    const waits = [waiters.untilChanged(PODS), waiters.untilChanged(PODS)]
    expect(handlers.length).to.equal(1)
    expect(await isResolved(waits[0] as Promise<void>)).to.equal(false)
    handlers[0]?.deleted?.({} as never)
    await Promise.all(waits)
    expect(await isResolved(waiters.untilChanged(PODS))).to.equal(false)
  })

  it('ends all waits when the signal aborts', async () => {
    const { stop, waiters } = start()
    const wait = waiters.untilChanged(PODS)
    stop.abort()
    await wait
    await waiters.untilChanged(PODS)
  })
})
