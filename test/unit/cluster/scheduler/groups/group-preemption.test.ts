import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { type NodeFilter, unschedulable } from '../../../../../src/cluster/scheduler/framework.ts'
import {
  chooseVictims,
  groupIneligibility,
  snapshotWithout,
  victimUnits,
} from '../../../../../src/cluster/scheduler/groups/group-preemption.ts'
import type { GroupMember, TrialPlacement } from '../../../../../src/cluster/scheduler/groups/group-trial.ts'
import type { NodeInfo } from '../../../../../src/cluster/scheduler/node-info.ts'
import { disruptionTarget } from '../../../../../src/cluster/shared/pods.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { compositeOf, groupOf } from '../../../../support/composite-groups.ts'
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

  it('are all pods below the highest group that is disrupted as a whole', () => {
    const whole = { disruptionMode: { all: {} } }
    const inTree = (object: object, spec: object): KubeObject => {
      const { spec: before, ...rest } = object as { spec: object }
      return { ...rest, spec: { ...before, priority: 5, ...spec } } as unknown as KubeObject
    }
    const tree = snapshotOf(
      [nodeOf('n'), nodeOf('m')],
      [
        member('a1', 'n', 'a', 5),
        member('b1', 'm', 'b', 5),
        member('c1', 'n', 'c', 5),
        member('c2', 'm', 'c', 5),
        member('d1', 'n', 'd', 5),
      ],
      [
        inTree(compositeOf('root', {}), {}),
        inTree(compositeOf('inner', { parent: 'root' }), whole),
        inTree(groupOf('a', { parent: 'inner' }), whole),
        inTree(groupOf('b', { parent: 'inner' }), {}),
        inTree(groupOf('c', { parent: 'root' }), whole),
        inTree(groupOf('d', { parent: 'root' }), {}),
      ],
    )
    const units = runAtOnce(victimUnits(tree, 10)).map(({ kind, pods }) => [kind, pods.map(({ info }) => info.pod.metadata.name)])
    expect(units).to.deep.equal([
      ['composite group', ['a1', 'b1']],
      ['group', ['c1', 'c2']],
      ['pod', ['d1']],
    ])
    expect(runAtOnce(victimUnits(tree, 5))).to.deep.equal([])
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

  /** Chooses among 20 pods on each of 10 nodes, for 20 pods with a filter each. Returns victims and checks by node. */
  const chosen = (filter: (check: NodeFilter['check']) => NodeFilter, most: number): [Record<string, number>, number] => {
    const names = Array.from({ length: 10 }, (_, i) => `n${i}`)
    const pods = names.flatMap(name => Array.from({ length: 20 }, (_, i) => single(`${name}-${i}`, name, i % 2)))
    const full = snapshotOf(
      names.map(name => nodeOf(name)),
      pods,
    )
    const units = runAtOnce(victimUnits(full, 10))
    const bare = runAtOnce(snapshotWithout(units, full))
    let checks = 0
    const check = (node: NodeInfo) => {
      checks++
      return node.pods.length >= most ? unschedulable('full') : undefined
    }
    const placements = Array.from({ length: 20 }, (_, i) => ({
      member: { info: infoOf({ name: `g${i}`, spec: { priority: 10 } }) },
      node: bare.node(`n${i % 4}`),
      filters: [{ plugin: 'P', filter: filter(check) }],
    })) as unknown as TrialPlacement[]
    const victims: Record<string, number> = {}
    for (const { pods: gone } of runAtOnce(chooseVictims({ units, placements, bare, nominated: () => [] })))
      for (const { node } of gone) victims[node] = (victims[node] ?? 0) + 1
    return [victims, checks]
  }

  it('are those with which pods of the group do not fit, and only pods on their nodes are checked', () => {
    const [victims, checks] = chosen(check => ({ check }), 15)
    // The five pods of the group on a node leave room for ten others.
    expect(victims).to.deep.equal({ n0: 10, n1: 10, n2: 10, n3: 10 })
    expect(checks).to.be.lessThan(4 * 20 * 5 + 1)
  })

  it('are found with the filters of all pods of the group if these read other nodes', () => {
    // No more than seven pods in all may be kept.
    const counting = (check: NodeFilter['check'], kept = 0): NodeFilter => ({
      check: node => (kept > 7 ? unschedulable('too many') : check(node)),
      with: (_pod, _node, change) => counting(check, kept + change),
    })
    const [victims] = chosen(check => counting(check), 100)
    expect(Object.values(victims).reduce((sum, count) => sum + count, 0)).to.equal(200 - 7)
  })
})
