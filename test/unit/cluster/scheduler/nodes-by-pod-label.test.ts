import { expect } from 'chai'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import { Snapshot } from '../../../../src/cluster/scheduler/snapshot.ts'
import { selectorOfMap } from '../../../../src/cluster/shared/selectors.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
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

  it('are those that a search of all pods finds, whatever has changed', () => {
    const random = seededRandom(7)
    const pick = (count: number): number => Math.floor(random() * count)
    let made = 0
    const newPod = () => pod(`p${made++}`, { app: `a${pick(4)}`, ...(pick(2) === 0 && { tier: `t${pick(2)}` }) })
    let snapshot = snapshotOf(...Array.from({ length: 6 }, () => [newPod(), newPod()]))
    for (let round = 0; round < 300; round++) {
      const node = snapshot.nodes[pick(snapshot.nodes.length)] as NodeInfo
      const some = node.pods[pick(node.pods.length)]
      const change = pick(12)
      if (change === 0 && snapshot.nodes.length > 2)
        snapshot = new Snapshot(
          snapshot.nodes.filter(one => one !== node),
          objectsOf(),
          snapshot,
        )
      else if (change === 1)
        snapshot = new Snapshot([...snapshot.nodes, NodeInfo.of(nodeOf(`m${round}`), [newPod()])], objectsOf(), snapshot)
      else if (change < 6 || some === undefined) snapshot.replace(node.withPods(newPod()))
      else snapshot.replace(change < 9 ? node.withoutPods(some) : node.withPodUpdated(some, newPod()))
      const app = `a${pick(4)}`
      const expected = snapshot.nodes.filter(({ pods }) => pods.some(({ pod: { metadata } }) => metadata.labels?.app === app))
      expect(found(snapshot, [{ app }])).to.deep.equal(expected.map(({ name }) => name).toSorted())
    }
  })
})
