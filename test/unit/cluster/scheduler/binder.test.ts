import { expect } from 'chai'
import { Binder, type BinderParts } from '../../../../src/cluster/scheduler/binder.ts'
import type { BindingContext } from '../../../../src/cluster/scheduler/framework.ts'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import type { QueuedPod } from '../../../../src/cluster/scheduler/queue.ts'
import { infoOf, nodeOf } from '../../../support/scheduling.ts'

describe('a binding that waits to be permitted', () => {
  it('ends the wait when a preemption takes its node', async () => {
    const info = infoOf({ name: 'p', metadata: { uid: 'u' } })
    let permitSignal: AbortSignal | undefined
    const permit = ({ signal }: BindingContext) => {
      permitSignal = signal
      return new Promise<undefined>(() => {})
    }
    await new Promise<void>(resolve => {
      const parts = {
        context: { signal: new AbortController().signal },
        state: { forgetAssumed: () => {} },
        takenBack: () => resolve(),
      } as unknown as BinderParts
      const binder = new Binder(parts)
      binder.bind({ pod: info.pod } as QueuedPod, info, NodeInfo.of(nodeOf('n')), [], [{ plugin: 'GangScheduling', permit }])
      expect(binder.preempt(info.pod)).to.equal(true)
    })
    expect(permitSignal?.aborted).to.equal(true)
  })
})
