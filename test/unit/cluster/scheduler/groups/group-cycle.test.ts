import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { AttemptFailure } from '../../../../../src/cluster/scheduler/failure-status.ts'
import { GroupCycle, type GroupCycleParts } from '../../../../../src/cluster/scheduler/groups/group-cycle.ts'
import type { PodInfo } from '../../../../../src/cluster/scheduler/pod-info.ts'
import type { Profile } from '../../../../../src/cluster/scheduler/profile.ts'
import { type QueuedPod, SchedulingQueue } from '../../../../../src/cluster/scheduler/queue.ts'
import { groupOf } from '../../../../support/composite-groups.ts'
import { countedTurns } from '../../../../support/counted-turns.ts'
import type { HeldTime } from '../../../../support/held-time.ts'
import { infoOf, objectsOf, podOf, snapshotOf } from '../../../../support/scheduling.ts'

const COUNT = 60
const inGroup = (i: number, spec: object): Pod =>
  podOf({ name: `p${i}`, spec: { schedulingGroup: { podGroupName: 'gang' }, ...spec } as Partial<Pod['spec']> })

/** Runs a cycle for a gang that fits nowhere. Each function passes the milliseconds of its name in `costs`. */
async function cycleOf(time: HeldTime, costs: { readonly infos?: number; readonly fail?: number }, spec: object = {}) {
  const pods = Array.from({ length: COUNT }, (_, i) => inGroup(i, spec))
  const pending = new SchedulingQueue({ now: () => 0 } as ConstructorParameters<typeof SchedulingQueue>[0])
  for (const pod of pods) pending.put(pod, false)
  const failed: (readonly [string, string])[] = []
  const infos = {
    of({ metadata: { name = '' } }: Pod): PodInfo {
      time.pass(costs.infos ?? 0)
      if (name === 'p7' && 'isBroken' in spec) throw new Error('a quantity is invalid')
      return infoOf({ name })
    },
  }
  const fail = (queued: QueuedPod, plugins: ReadonlySet<string>, { message }: AttemptFailure): void => {
    time.pass(costs.fail ?? 0)
    if (pending.fail(queued, plugins)) failed.push([queued.pod.metadata.name ?? '', message])
  }
  const unfeasible = { infeasible: { nodeCount: 0, preFilterReason: '', statuses: new Map(), plugins: new Set(['Fit']) }, filters: [] }
  const child = () => ({ value: 0, observe: () => {} })
  const parts = {
    ...{ release: '1.37', preemptsForGroups: false, hasPolicy: false, limitsTopology: false, infos, pending, fail },
    state: { isAssigned: () => false, snapshot: () => snapshotOf([]) },
    finder: { find: async () => ({ ...unfeasible, postFilters: [] }) },
    postFilters: { helpGroup: () => {} },
    nominated: { on: () => [] },
    groups: { scheduled: () => new Set() },
    context: { signal: new AbortController().signal },
    metrics: { groupAttempts: { child }, groupAttemptSeconds: { child } },
    report: () => {},
  }
  const first = pending.take() as QueuedPod
  const objects = objectsOf([groupOf('gang', { minimum: 1 }) as never, ...pods])
  await new GroupCycle(parts as unknown as GroupCycleParts).run(first, { plugins: [] } as unknown as Profile, objects)
  return failed
}

describe('the cycle of a group of pods', () => {
  for (const [title, costs, spec] of [
    ['takes many pods from the queue', { infos: 1 }, {}],
    ['rejects many pods', { fail: 1 }, {}],
    ['returns many pods to the queue after an error', { fail: 1 }, { priority: 5 }],
  ] as const)
    it(`${title} in turns`, async () => {
      const turns = await countedTurns(async time => {
        expect(await cycleOf(time, costs, spec)).to.have.length(COUNT)
      })
      expect(turns).to.be.at.least(COUNT / 6)
    })

  it('returns all pods that it has taken to the queue if one of them is invalid', async () => {
    await countedTurns(async time => {
      const failed = await cycleOf(time, {}, { isBroken: true })
      expect(failed.map(([, message]) => message)).to.deep.equal(Array(8).fill('a quantity is invalid'))
    })
  })
})
