import { expect } from 'chai'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import { Snapshot } from '../../../../src/cluster/scheduler/snapshot.ts'
import { selectorOfMap } from '../../../../src/cluster/shared/selectors.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { infoOf, nodeOf, objectsOf } from '../../../support/scheduling.ts'

const pod = (name: string, labels: Record<string, string>) => infoOf({ name, labels })
const nodes = (...lists: ReturnType<typeof pod>[][]): NodeInfo[] => lists.map((pods, i) => NodeInfo.of(nodeOf(`n${i}`), pods))

/** Names of the nodes that are found for each of the label maps, in any order. */
const found = (snapshot: Snapshot, maps: readonly Record<string, string>[], namespace = 'default'): string[] => {
  const queries = maps.map(map => ({ namespaces: ['other', namespace], requirements: selectorOfMap(map) }))
  return [...runAtOnce(snapshot.nodesWithPods(queries))].map(({ name }) => name).toSorted()
}

describe('nodes by the labels of their pods', () => {
  const [web, db, both] = [pod('a', { app: 'web' }), pod('b', { app: 'db' }), pod('c', { app: 'web', tier: 'front' })]
  const snapshotOf = (...lists: ReturnType<typeof pod>[][]): Snapshot => new Snapshot(nodes(...lists), objectsOf())

  it('are those of any query, by the label that the fewest have', () => {
    const snapshot = snapshotOf([web], [db], [both], [])
    expect(found(snapshot, [{ app: 'web' }])).to.deep.equal(['n0', 'n2'])
    expect(found(snapshot, [{ app: 'web' }, { app: 'db' }])).to.deep.equal(['n0', 'n1', 'n2'])
    expect(found(snapshot, [{ app: 'web', tier: 'front' }])).to.deep.equal(['n2'])
    expect(found(snapshot, [{ app: 'none' }])).to.deep.equal([])
    expect(found(snapshot, [{ constructor: 'web' }])).to.deep.equal([])
    expect(found(snapshot, [{ app: 'web' }], 'elsewhere')).to.deep.equal([])
  })

  it('are all if a query requires no label, or there are many queries', () => {
    const snapshot = snapshotOf([web], [db], [])
    expect(found(snapshot, [{ app: 'web' }, {}])).to.deep.equal(['n0', 'n1', 'n2'])
    expect(found(snapshot, Array<Record<string, string>>(17).fill({ app: 'web' }))).to.deep.equal(['n0', 'n1', 'n2'])
  })

  it('follow pods that come, go and change, and nodes of a later snapshot', () => {
    const snapshot = snapshotOf([web], [db])
    const at = (map: Record<string, string>, of = snapshot) => found(of, [map])
    expect(at({ app: 'web' })).to.deep.equal(['n0'])
    const [first, second] = snapshot.nodes as [NodeInfo, NodeInfo]
    snapshot.replace(first.withPods(both))
    snapshot.replace(second.withPods(both))
    expect([at({ app: 'web' }), at({ tier: 'front' })]).to.deep.equal([
      ['n0', 'n1'],
      ['n0', 'n1'],
    ])
    snapshot.replace(first.withPods(both).withoutPods(web, both))
    snapshot.replace(second.withPods(both).withPodUpdated(both, pod('c', { app: 'cache' })))
    expect([at({ app: 'web' }), at({ app: 'cache' }), at({ tier: 'front' })]).to.deep.equal([[], ['n1'], []])
    const later = new Snapshot([...nodes([web, db]), NodeInfo.of(nodeOf('n7'), [both])], objectsOf(), snapshot)
    expect([at({ app: 'web' }, later), at({ app: 'db' }, later), at({ app: 'cache' }, later)]).to.deep.equal([['n0', 'n7'], ['n0'], []])
  })

  it('index a limited number of keys, and those of later queries again', () => {
    const labels = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, 'v']))
    const snapshot = snapshotOf([pod('a', labels)], [])
    for (const _ of [1, 2]) for (const key of Object.keys(labels)) expect(found(snapshot, [{ [key]: 'v' }])).to.deep.equal(['n0'])
  })
})
