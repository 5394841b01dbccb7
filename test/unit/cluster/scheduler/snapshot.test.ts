import { expect } from 'chai'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import { Snapshot } from '../../../../src/cluster/scheduler/snapshot.ts'
import { infoOf, nodeOf, objectsOf } from '../../../support/scheduling.ts'

const image = (name: string) => [{ names: [name], sizeBytes: 1 }]
const anti = {
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }] } },
  containers: [],
}

describe('a snapshot', () => {
  const a = NodeInfo.of(nodeOf('a', { images: image('x') }))
  const b = NodeInfo.of(nodeOf('b', { images: image('x') }))

  it('keeps the position of a node that is replaced, and reports which nodes were', () => {
    const snapshot = new Snapshot([a, b], objectsOf())
    const fuller = b.withPods(infoOf({ name: 'p', spec: anti }))
    snapshot.replace(fuller)
    expect([snapshot.position('b'), snapshot.nodes[1], snapshot.node('b')]).to.deep.equal([1, fuller, fuller])
    expect([[...snapshot.withAffinity], [...snapshot.withRequiredAntiAffinity]]).to.deep.equal([[fuller], [fuller]])
    snapshot.replace(b)
    expect([snapshot.changesSince(0), snapshot.changesSince(1), snapshot.changesSince(2)]).to.deep.equal([
      [
        { from: b, to: fuller },
        { from: fuller, to: b },
      ],
      [{ from: fuller, to: b }],
      [],
    ])
    expect([...snapshot.withAffinity]).to.deep.equal([])
  })

  it('forgets changes that are long past', () => {
    const snapshot = new Snapshot([a], objectsOf())
    let node = a
    for (let i = 0; i < 5000; i++) {
      node = node.withNode(nodeOf('a'))
      snapshot.replace(node)
    }
    expect([snapshot.changesSince(0), snapshot.changesSince(4999)?.length]).to.deep.equal([undefined, 1])
  })

  it('counts images anew when those of a node change', () => {
    const snapshot = new Snapshot([a, b], objectsOf())
    const version = snapshot.imagesVersion
    expect(snapshot.nodesWithImage('x')).to.equal(2)
    snapshot.replace(b.withPods(infoOf()))
    expect(snapshot.imagesVersion).to.equal(version)
    snapshot.replace(b.withNode(nodeOf('b', { images: image('y') })))
    expect([snapshot.imagesVersion !== version, snapshot.nodesWithImage('x'), snapshot.nodesWithImage('y')]).to.deep.equal([true, 1, 1])
  })
})
