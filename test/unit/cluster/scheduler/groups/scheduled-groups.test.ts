import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { groupOf, groupRules, membersOf } from '../../../../../src/cluster/scheduler/groups/pod-group.ts'
import { ScheduledGroups } from '../../../../../src/cluster/scheduler/groups/scheduled-groups.ts'
import { gangScheduling } from '../../../../../src/cluster/scheduler/plugins/gang-scheduling.ts'
import { objectsOf, podOf } from '../../../../support/scheduling.ts'

const inGroup = (name: string, podGroupName = 'train') => podOf({ name, spec: { schedulingGroup: { podGroupName } } })
const inWorkload = (name: string, podGroup: string, podGroupReplicaKey?: string) =>
  podOf({ name, spec: { workloadRef: { name: 'job', podGroup, ...(podGroupReplicaKey !== undefined && { podGroupReplicaKey }) } } })

describe('groups of pods', () => {
  it('are named by pods in the way of the release', () => {
    expect(groupOf(podOf())).to.equal(undefined)
    expect(groupOf(inGroup('a'))).to.deep.equal({ key: 'default/train', object: 'default/train', kind: 'PodGroup' })
    expect(groupOf(inWorkload('a', 'workers', 'r1'))).to.deep.equal({
      key: 'default/job/workers/r1',
      object: 'default/job',
      kind: 'Workload',
    })
  })

  it('have members of their own in one Workload', () => {
    const pods = [inWorkload('a', 'workers'), inWorkload('b', 'driver'), inWorkload('c', 'workers', 'r1'), inWorkload('d', 'workers')]
    const objects = objectsOf(pods)
    expect(membersOf(inWorkload('x', 'workers'), objects).map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'd'])
  })

  it('may enter the queue by their number alone, without a list of thousands for each pod', () => {
    const group = {
      kind: 'PodGroup',
      metadata: { name: 'train', namespace: 'default' },
      spec: { schedulingPolicy: { gang: { minCount: 2 } } },
    } as never
    const isGated = (...pods: Pod[]): boolean => {
      const podsOfGroup = (): never => expect.fail('the pods are listed')
      return gangScheduling.preEnqueue?.(inGroup('a'), { ...objectsOf([group, ...pods]), podsOfGroup }) !== undefined
    }
    expect([isGated(inGroup('a')), isGated(inGroup('a'), inGroup('b')), isGated(inGroup('a'), inGroup('c', 'other'))]).to.deep.equal([
      true,
      false,
      true,
    ])
  })

  it('have the rules of their object', () => {
    const workload = {
      kind: 'Workload',
      metadata: { name: 'job', namespace: 'default' },
      spec: { podGroups: [{ name: 'workers', policy: { gang: { minCount: 4 } } }] },
    }
    const group = {
      kind: 'PodGroup',
      metadata: { name: 'train', namespace: 'default' },
      spec: { schedulingPolicy: { basic: {} }, disruptionMode: 'PodGroup', priority: 7 },
    }
    const objects = objectsOf([workload, group] as never)
    expect(groupRules(inWorkload('a', 'workers'), objects)).to.include({ minCount: 4 })
    expect(groupRules(inWorkload('a', 'driver'), objects)).to.equal(undefined)
    expect(groupRules(inGroup('a'), objects)).to.include({ minCount: undefined, isDisruptedWhole: true, priority: 7 })
    expect(groupRules(inGroup('a', 'other'), objects)).to.equal(undefined)
  })

  it('count the pods that have nodes, and report when one gets a node', () => {
    const groups = new ScheduledGroups()
    const seen: number[] = []
    const stop = groups.onScheduled('default/train', () => seen.push(groups.scheduled('default/train').size))
    groups.add(inGroup('a'))
    groups.add(podOf({ name: 'alone' }))
    groups.add(inGroup('b'))
    groups.delete(inGroup('a'))
    stop()
    groups.add(inGroup('c'))
    expect(seen).to.deep.equal([1, 2])
    expect([...groups.scheduled('default/train')]).to.deep.equal(['b', 'c'])
  })
})
