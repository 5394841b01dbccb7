import { expect } from 'chai'
import type { TypedObject } from '../../../../../src/api/meta/object.ts'
import type { Condition } from '../../../../../src/api/meta/v1.types.ts'
import {
  changedCondition,
  type GroupConditionParts,
  GroupConditions,
  SCHEDULED,
} from '../../../../../src/cluster/scheduler/groups/group-conditions.ts'

const type = 'PodGroupScheduled'
const [T0, T1] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']
const failed = { type, status: 'False', reason: 'Unschedulable', message: 'no room' }
const old = (parts: object = {}): { conditions: Condition[] } => ({
  conditions: [{ ...failed, observedGeneration: 1, lastTransitionTime: T0, ...parts } as Condition],
})

describe('the condition of a group of pods', () => {
  it('is set with the generation of the group', () =>
    expect(changedCondition({}, failed, 2, T1)).to.deep.equal({ ...failed, observedGeneration: 2, lastTransitionTime: T1 }))

  it('stays as it is if nothing changes', () => expect(changedCondition(old(), failed, 1, T1)).to.equal(undefined))

  it('keeps the time of its last transition if only the message changes', () =>
    expect(changedCondition(old(), { ...failed, message: 'other' }, 1, T1)).to.include({ message: 'other', lastTransitionTime: T0 }))

  it('becomes true once the group is scheduled, and remains so', () => {
    expect(changedCondition(old(), { type, ...SCHEDULED }, 1, T1)).to.include({ status: 'True', lastTransitionTime: T1 })
    expect(changedCondition(old({ status: 'True' }), failed, 1, T1)).to.equal(undefined)
  })
})

describe('the conditions of groups of pods', () => {
  /** A group whose writes wait in `tasks`, and the conditions that were written. */
  function conditionsOf(isComposite = false) {
    const tasks: (() => Promise<void>)[] = []
    const written: string[] = []
    let status: object = {}
    const server = { isBroken: false }
    const object = () => ({ metadata: { name: 'g', namespace: 'default' }, status })
    const patch = async (kind: { resource: string }, _: unknown, body: { status: { conditions: Condition[] } }): Promise<object> => {
      if (server.isBroken) throw new Error('the server is gone')
      written.push(...body.status.conditions.map(({ type, status: is, message }) => `${kind.resource} ${type} ${is} ${message}`))
      return { ...object(), status: body.status }
    }
    const features = { release: '1.37', enabled: () => true }
    const parts = {
      env: { client: { patch }, clock: { now: () => 0 }, features, logger: { debug: () => {} } },
      groups: { get: () => ({ key: 'default/g', object: object(), isComposite }) },
      wrote: (result: TypedObject) => {
        status = (result as unknown as { status: object }).status
      },
      write: (_: string, write: () => Promise<void>) => void tasks.push(write),
    }
    const conditions = new GroupConditions(parts as unknown as GroupConditionParts)
    const report = (message: string) => conditions.report({ key: 'default/g' }, { status: 'False', reason: 'Unschedulable', message })
    const writeAll = async (): Promise<void> => {
      for (const task of tasks.splice(0)) await task()
    }
    return { report, writeAll, tasks, written, server }
  }

  it('are written once for several cycles, with the latest outcome', async () => {
    const { report, writeAll, tasks, written } = conditionsOf()
    for (const message of ['one', 'two', 'three']) report(message)
    expect(tasks).to.have.length(1)
    await writeAll()
    report('three')
    expect([tasks, written]).to.deep.equal([[], ['podgroups PodGroupInitiallyScheduled False three']])
    report('four')
    await writeAll()
    expect(written).to.have.length(2)
  })

  it('are not written again by a cycle that ends while they are', async () => {
    const { report, writeAll, tasks, written } = conditionsOf()
    report('one')
    const [first] = tasks.splice(0)
    const writing = first?.()
    report('one')
    await writing
    await writeAll()
    expect(written).to.have.length(1)
  })

  it('are written after a later cycle if a write fails', async () => {
    const { report, writeAll, written, server } = conditionsOf(true)
    server.isBroken = true
    report('one')
    await writeAll()
    server.isBroken = false
    report('one')
    await writeAll()
    expect(written).to.deep.equal(['compositepodgroups CompositePodGroupInitiallyScheduled False one'])
  })
})
