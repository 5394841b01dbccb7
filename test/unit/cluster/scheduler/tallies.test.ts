import { expect } from 'chai'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import type { PodInfo } from '../../../../src/cluster/scheduler/pod-info.ts'
import { Snapshot } from '../../../../src/cluster/scheduler/snapshot.ts'
import { Tallies, type TallyFunctions } from '../../../../src/cluster/scheduler/tallies.ts'
import { selectorOfMap } from '../../../../src/cluster/shared/selectors.ts'
import { infoOf, nodeOf, objectsOf } from '../../../support/scheduling.ts'

/** Counts pods, and notes how many were looked at. */
function podCounter() {
  const seen = { pods: 0 }
  const functions: TallyFunctions<{ count: number }> = {
    empty: () => ({ count: 0 }),
    count(tally, pods, _node, change) {
      tally.count += change * pods.length
      seen.pods += pods.length
    },
  }
  return { functions, seen }
}

const pods: readonly PodInfo[] = ['p', 'q', 'r', 's'].map(name => infoOf({ name }))

describe('tallies', () => {
  it('are ready if few nodes have changed since they were counted', () => {
    const nodes = Array.from({ length: 100 }, (_, i) => NodeInfo.of(nodeOf(`n${i}`), pods))
    const snapshot = new Snapshot(nodes, objectsOf())
    const tallies = new Tallies<{ count: number }>(true)
    const { functions } = podCounter()
    expect(tallies.isReady('x', snapshot)).to.equal(false)
    tallies.of('x', snapshot, functions)
    expect([tallies.isReady('x', snapshot), tallies.isReady('y', snapshot)]).to.deep.equal([true, false])
    for (const node of nodes.slice(0, 64)) snapshot.replace(node.withoutPods(...pods.slice(1)))
    expect(tallies.isReady('x', snapshot)).to.equal(true)
    snapshot.replace(NodeInfo.of(nodeOf('n99'), []))
    expect(tallies.isReady('x', snapshot)).to.equal(false)
    tallies.of('x', snapshot, functions)
    snapshot.replace(NodeInfo.of(nodeOf('n99', { labels: { a: 'b' } }), []))
    expect(tallies.isReady('x', snapshot)).to.equal(false)
  })

  it('look only at the pods of nodes that may have some that count, and at other nodes if those count without pods', () => {
    const labelled = ['web', 'db'].map(app => infoOf({ name: app, labels: { app } }))
    const nodes = [labelled, pods, []].map((own, i) => NodeInfo.of(nodeOf(`n${i}`), own))
    const snapshot = new Snapshot(nodes, objectsOf())
    const counted = (countsNodes: boolean): [number, string[]] => {
      const { functions, seen } = podCounter()
      const names: string[] = []
      const tally = new Tallies<{ count: number }>().of('x', snapshot, {
        ...functions,
        countsNodes,
        count(...[of, own, node, change]) {
          names.push(node.name)
          functions.count(of, own, node, change)
        },
        nodes: () => snapshot.nodesWithPods([{ namespaces: ['default'], requirements: selectorOfMap({ app: 'web' }) }]),
      })
      expect(tally.count).to.equal(seen.pods)
      return [seen.pods, names]
    }
    expect(counted(false)).to.deep.equal([2, ['n0']])
    expect(counted(true)).to.deep.equal([2, ['n0', 'n1', 'n2', 'n0']])
  })

  it('look only at pods that have come or gone since the last cycle', () => {
    const node = NodeInfo.of(nodeOf('a'), pods)
    const snapshot = new Snapshot([node, NodeInfo.of(nodeOf('b'), pods)], objectsOf())
    const tallies = new Tallies<{ count: number }>()
    const { functions, seen } = podCounter()
    expect(tallies.of('x', snapshot, functions).count).to.equal(8)
    snapshot.replace(node.withoutPods(...pods.slice(1, 3)))
    expect([tallies.of('x', snapshot, functions).count, seen.pods]).to.deep.equal([6, 10])
    expect([tallies.of('x', snapshot, functions).count, seen.pods]).to.deep.equal([6, 10])
    expect([tallies.of('y', snapshot, functions).count, seen.pods]).to.deep.equal([6, 16])
  })

  it('begin anew for another snapshot, and when a node itself has changed if they say so', () => {
    const node = NodeInfo.of(nodeOf('a'), pods)
    const snapshot = new Snapshot([node], objectsOf())
    const tallies = new Tallies<{ count: number }>(true)
    const whole = podCounter()
    tallies.of('x', snapshot, whole.functions)
    snapshot.replace(node.withNode(nodeOf('a', { labels: { a: 'b' } })))
    expect([tallies.of('x', snapshot, whole.functions).count, whole.seen.pods]).to.deep.equal([4, 8])
    // A report of the kubelet changes nothing that counts.
    snapshot.replace(node.withNode(nodeOf('a', { labels: { a: 'b' } })))
    expect([tallies.of('x', snapshot, whole.functions).count, whole.seen.pods]).to.deep.equal([4, 8])
    expect(tallies.of('x', new Snapshot([], objectsOf()), whole.functions).count).to.equal(0)
    const moved = podCounter()
    const other = new Tallies<{ count: number }>()
    const first = other.of('x', snapshot, moved.functions)
    snapshot.replace(node)
    expect([other.of('x', snapshot, moved.functions) === first, first.count, moved.seen.pods]).to.deep.equal([true, 4, 12])
  })
})
