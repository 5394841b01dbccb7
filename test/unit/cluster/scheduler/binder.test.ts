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

  it('releases its node when the pod no longer needs the binding, but not when the scheduler stops', async () => {
    for (const stops of [false, true]) {
      const info = infoOf({ name: 'p', metadata: { uid: 'u' } })
      const scheduler = new AbortController()
      const calls: string[] = []
      const parts = {
        context: { signal: scheduler.signal },
        state: { forgetAssumed: () => calls.push('forgotten') },
        takenBack: () => calls.push('taken back'),
      } as unknown as BinderParts
      const binder = new Binder(parts)
      const permit = ({ signal }: BindingContext) =>
        new Promise<undefined>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
      binder.bind({ pod: info.pod } as QueuedPod, info, NodeInfo.of(nodeOf('n')), [], [{ plugin: 'GangScheduling', permit }])
      if (stops) scheduler.abort()
      else binder.cancel(info.pod)
      await binder.stop()
      expect(calls).to.deep.equal(stops ? [] : ['forgotten', 'taken back'])
    }
  })
})

describe('a binding that is prepared', () => {
  it('nominates the pod to its node, if the release does, and is made even if that fails', async () => {
    const callsOf = async (nominates: boolean, error?: Error): Promise<readonly unknown[]> => {
      const info = infoOf({ name: 'p' })
      const calls: unknown[] = []
      const client = {
        patch: async (_kind: unknown, { subresource }: { subresource: string }, patch: object) => {
          calls.push(subresource, patch)
          if (error) throw error
        },
        post: async () => calls.push('binding'),
      }
      const queued = { pod: info.pod } as QueuedPod
      await new Promise<void>(resolve => {
        const parts = {
          context: { client, signal: new AbortController().signal },
          nominates,
          extenders: [],
          logger: { debug: () => calls.push('logged') },
          pending: { delete: () => {} },
          reports: { bound: () => resolve() },
          write: (_pod: unknown, write: () => Promise<void>) => void write(),
        } as unknown as BinderParts
        const permit = async () => void calls.push('permit')
        new Binder(parts).bind(queued, info, NodeInfo.of(nodeOf('n')), [], [{ plugin: 'GangScheduling', permit: permit as never }])
      })
      return [...calls, queued.pod.status.nominatedNodeName]
    }
    const patch = ['status', { status: { nominatedNodeName: 'n' } }]
    expect(await callsOf(false)).to.deep.equal(['permit', 'binding', undefined])
    expect(await callsOf(true)).to.deep.equal(['permit', ...patch, 'binding', 'n'])
    expect(await callsOf(true, new Error('down'))).to.deep.equal(['permit', ...patch, 'logged', 'binding', undefined])
  })
})

describe('a binding that fails', () => {
  it('names the plugin or has the text of the extender, and ends the nomination of the pod', async () => {
    const info = infoOf({ name: 'p' })
    const failureOf = (extenders: BinderParts['extenders']) =>
      new Promise<unknown>(resolve => {
        const client = { post: () => Promise.reject(new Error('no quorum')) }
        const parts = {
          context: { client, signal: new AbortController().signal },
          extenders,
          state: { forgetAssumed: () => {} },
          write: (_pod: unknown, write: () => Promise<void>) => void write(),
          takenBack: (_queued: unknown, _plugins: unknown, failure: unknown) => resolve(failure),
        } as unknown as BinderParts
        new Binder(parts).bind({ pod: info.pod } as QueuedPod, info, NodeInfo.of(nodeOf('n')), [], [])
      })
    const failure = { reason: 'SchedulerError', nominatedNode: '' }
    expect(await failureOf([])).to.deep.equal({ ...failure, message: 'running Bind plugin "DefaultBinder": no quorum' })
    const extender = { binds: true, isInterested: () => true, bind: () => Promise.reject(new Error('refused')) }
    expect(await failureOf([extender] as unknown as BinderParts['extenders'])).to.deep.equal({ ...failure, message: 'refused' })
  })
})
