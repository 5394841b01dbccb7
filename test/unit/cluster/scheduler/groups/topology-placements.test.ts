import { expect } from 'chai'
import { placementsOf } from '../../../../../src/cluster/scheduler/groups/topology-placements.ts'
import type { Snapshot } from '../../../../../src/cluster/scheduler/snapshot.ts'
import { nodeOf, snapshotOf } from '../../../../support/scheduling.ts'

const RACK = 'example.dev/rack'
const nodes = [
  nodeOf('a', { labels: { [RACK]: '1' } }),
  nodeOf('b', { labels: { [RACK]: '2' } }),
  nodeOf('c', { labels: { [RACK]: '1' } }),
  nodeOf('d'),
]
const names = (snapshots: readonly Snapshot[]): string[][] => snapshots.map(({ nodes: each }) => each.map(({ name }) => name))

describe('the placements of a group of pods', () => {
  it('are all nodes if the group is not limited', () => {
    const snapshot = snapshotOf(nodes)
    expect(placementsOf(undefined, snapshot, new Set())).to.deep.equal([snapshot])
  })

  it('are the nodes of each value of the label', () =>
    expect(names(placementsOf(RACK, snapshotOf(nodes), new Set()))).to.deep.equal([['a', 'c'], ['b']]))

  it('are the nodes with the value of the pods that have nodes', () =>
    expect(names(placementsOf(RACK, snapshotOf(nodes, [{ name: 'p', nodeName: 'b' }]), new Set(['p'])))).to.deep.equal([['b']]))

  it('fail if the pods that have nodes do not agree', () => {
    const placed = (...on: string[]) =>
      snapshotOf(
        nodes,
        on.map(nodeName => ({ name: `p-${nodeName}`, nodeName })),
      )
    expect(() => placementsOf(RACK, placed('a', 'b'), new Set(['p-a', 'p-b']))).to.throw('more than 1 domain found for pod group: 1, 2')
    expect(() => placementsOf(RACK, placed('d'), new Set(['p-d']))).to.throw('no topology domain found for pod default/p-d')
  })
})
