import { expect } from 'chai'
import { ClusterSize } from '../../../../../src/cluster/controllers/nodettl/cluster-size.ts'

describe('caching time of kubelets', () => {
  it('grows with the cluster, and shrinks later than it grew', () => {
    const size = new ClusterSize()
    const changes: [number, number][] = []
    const follow = (nodes: number): void => {
      if (size.seconds !== (changes.at(-1)?.[1] ?? 0)) changes.push([nodes, size.seconds])
    }
    for (let nodes = 1; nodes <= 2001; nodes++) {
      size.added()
      follow(nodes)
    }
    for (let nodes = 2000; nodes >= 0; nodes--) {
      size.deleted()
      follow(nodes)
    }
    expect(changes).to.deep.equal([
      [101, 15],
      [501, 30],
      [1001, 60],
      [2001, 300],
      [1799, 60],
      [899, 30],
      [449, 15],
      [89, 0],
    ])
  })
})
