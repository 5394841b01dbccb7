import { expect } from 'chai'
import { ChangeWaiters } from '../../../../src/cluster/scheduler/change-waiters.ts'
import type { InformerHandler } from '../../../../src/cluster/shared/informer.ts'
import type { Informers } from '../../../../src/cluster/shared/informers.ts'
import { PODS } from '../../../../src/cluster/shared/kinds.ts'

describe('waits for changes of a kind', () => {
  it('wakes every waiter at each change until it stops, with one handler for the kind', () => {
    const handlers: InformerHandler<never>[] = []
    const informers = { of: () => ({ on: (handler: InformerHandler<never>) => handlers.push(handler) }) } as unknown as Informers
    const waiters = new ChangeWaiters(informers)
    const woken: string[] = []
    const stop = ['a', 'b'].map(name => waiters.onChange(PODS, () => woken.push(name)))
    expect(handlers.length).to.equal(1)
    handlers[0]?.deleted?.({} as never)
    expect(woken.splice(0)).to.deep.equal(['a', 'b'])
    stop[0]?.()
    handlers[0]?.added?.({} as never)
    expect(woken).to.deep.equal(['b'])
  })
})
