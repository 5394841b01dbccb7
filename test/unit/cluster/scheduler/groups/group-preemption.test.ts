import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { groupIneligibility, snapshotWithout, victimUnits } from '../../../../../src/cluster/scheduler/groups/group-preemption.ts'
import type { GroupMember } from '../../../../../src/cluster/scheduler/groups/group-trial.ts'
import { disruptionTarget } from '../../../../../src/cluster/shared/pods.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { infoOf, nodeOf, type PodParts, snapshotOf } from '../../../../support/scheduling.ts'

const group = (name: string, priority: number, isWhole: boolean): KubeObject =>
  ({
    kind: 'PodGroup',
    metadata: { name, namespace: 'default' },
    spec: { schedulingPolicy: { gang: { minCount: 1 } }, priority, disruptionMode: isWhole ? { all: {} } : { single: {} } },
  }) as unknown as KubeObject
const member = (name: string, nodeName: string, podGroupName: string, priority = 0): PodParts => ({
  name,
  nodeName,
  spec: { priority, schedulingGroup: { podGroupName } },
})
const single = (name: string, nodeName: string, priority: number, startTime?: string): PodParts => ({
  name,
  nodeName,
  spec: { priority },
  ...(startTime && { status: { startTime } }),
})

describe('the victims of a group of pods', () => {
  const snapshot = snapshotOf(
    [nodeOf('n'), nodeOf('m')],
    [
      single('late', 'n', 5, '2026-01-02T00:00:00Z'),
      single('early', 'm', 5, '2026-01-01T00:00:00Z'),
      single('equal', 'm', 10),
      member('w1', 'n', 'whole'),
      member('w2', 'm', 'whole'),
      member('s1', 'n', 'parts', 1),
    ],
    [group('whole', 5, true), group('parts', 1, false)],
  )

  it('are pods of lower priority, and groups that are disrupted as a whole, the most important first', () => {
    const units = runAtOnce(victimUnits(snapshot, 10)).map(({ pods }) => pods.map(({ info }) => info.pod.metadata.name))
    expect(units).to.deep.equal([['w1', 'w2'], ['early'], ['late'], ['s1']])
  })

  it('are gone from the nodes of the snapshot in which the group is tried', () => {
    const bare = runAtOnce(snapshotWithout(runAtOnce(victimUnits(snapshot, 10)), snapshot))
    expect(bare.nodes.map(({ name, pods }) => [name, pods.map(({ pod }) => pod.metadata.name)])).to.deep.equal([
      ['n', []],
      ['m', ['equal']],
    ])
    expect(snapshot.node('n')?.pods).to.have.length(3)
  })

  it('are found in steps, as there may be tens of thousands', () => {
    const starts = ['2026-01-03T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
    const pods = Array.from({ length: 6000 }, (_, i) => single(`p${i}`, `n${i % 60}`, i % 3, starts[(i % 7) % 3]))
    const large = snapshotOf(
      Array.from({ length: 60 }, (_, i) => nodeOf(`n${i}`)),
      pods,
    )
    const { result: units, yields } = countedSteps(victimUnits(large, 10))
    expect([units.length, yields > 10]).to.deep.equal([6000, true])
    expect(units.slice(1).filter((unit, i) => (units[i]?.priority ?? 0) < unit.priority)).to.deep.equal([])
    expect(countedSteps(snapshotWithout(units, large)).yields).to.be.greaterThan(10)
  })

  it('are not looked for if a pod of the group does not preempt, or waits for one that terminates', () => {
    const memberOf = (parts: PodParts): GroupMember => ({ info: infoOf(parts) }) as GroupMember
    expect(groupIneligibility([memberOf({})], 10, snapshot)).to.equal(undefined)
    expect(groupIneligibility([memberOf({}), memberOf({ spec: { preemptionPolicy: 'Never' } })], 10, snapshot)).to.equal(
      'not eligible due to preemptionPolicy=Never.',
    )
    const terminating: PodParts = {
      ...single('gone', 'n', 5),
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { conditions: [disruptionTarget('PreemptionByScheduler', '', 0)] },
    }
    const waiting = memberOf({ status: { nominatedNodeName: 'n' } })
    expect(groupIneligibility([waiting], 10, snapshotOf([nodeOf('n')], [terminating]))).to.equal(
      'not eligible due to a terminating pod on the nominated node.',
    )
  })
})
