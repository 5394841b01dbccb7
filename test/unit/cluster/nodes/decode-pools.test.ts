import { expect } from 'chai'
import { parseNodePools } from '../../../../src/cluster/nodes/decode-pools.ts'
import { nodeOfPool } from '../../../../src/cluster/nodes/node-objects.ts'
import type { NodePool } from '../../../../src/cluster/shared/node-pool.ts'

const HEAD = 'apiVersion: binnacle.dev/v1alpha1\nkind: NodePools\n'
const parse = (text: string): NodePool[] => parseNodePools(Buffer.from(HEAD + text))

describe('a file of node pools', () => {
  it('joins maps and taints of a template with those of the pool, and replaces the other members', () => {
    const [pool] = parse(`
templates:
- name: large
  labels: {tier: large, disk: ssd}
  taints: [{key: dedicated, value: a, effect: NoSchedule}, {key: slow, effect: PreferNoSchedule}]
  capacity: {cpu: 64, memory: 256Gi, example.com/gpu: "4"}
  zones: [x]
pools:
- {name: web, template: large, count: 2, labels: {tier: web}, taints: [{key: dedicated, value: b, effect: NoSchedule}], zones: [a, b], region: r}
`)
    expect(pool?.labels).to.deep.equal({ 'binnacle.dev/pool': 'web', tier: 'web', disk: 'ssd' })
    expect(pool?.taints).to.deep.equal([
      { key: 'slow', effect: 'PreferNoSchedule' },
      { key: 'dedicated', value: 'b', effect: 'NoSchedule' },
    ])
    expect(pool?.capacity).to.deep.equal({ cpu: '64', memory: '256Gi', pods: '110', 'ephemeral-storage': '100Gi', 'example.com/gpu': '4' })
    expect(pool?.allocatable).to.deep.equal(pool?.capacity)
    if (!pool) return
    const nodes = [1, 2].map(index => nodeOfPool(pool, index, { number: index, version: 'v1.33.0', features: [], now: 0 }))
    expect(
      nodes.map(({ metadata }) => [metadata.name, metadata.labels?.['topology.kubernetes.io/zone'], metadata.labels?.tier]),
    ).to.deep.equal([
      ['web-1', 'a', 'web'],
      ['web-2', 'b', 'web'],
    ])
  })

  for (const { text, error } of [
    { text: 'pools: []', error: 'pools: Required value: a file describes at least one pool' },
    { text: 'pools: [{name: a}]', error: 'pools[0].count: Required value' },
    { text: 'pools: [{count: 1}]', error: 'pools[0].name: Required value: a pool has a name or a namePrefix' },
    { text: 'pools: [{name: a, count: -1}]', error: 'pools[0].count: Invalid value: -1: must be greater than or equal to 0' },
    { text: 'pools: [{name: a, count: 1, size: 2}]', error: 'pools[0]: Invalid value: "size": unknown field' },
    { text: 'pools: [{name: a, count: 1, template: b}]', error: 'pools[0].template: Unsupported value: "b"' },
    {
      text: 'pools: [{name: a, count: 1, capacity: {cpu: many}}]',
      error: 'pools[0].capacity[cpu]: Invalid value: "many": must be a quantity',
    },
    {
      text: 'pools: [{name: a, count: 1, taints: [{key: k, effect: Never}]}]',
      error: 'pools[0].taints[0].effect: Unsupported value: "Never"',
    },
    { text: 'pools: [{name: a, count: 1, labels: {"a b": c}}]', error: 'pools[0].labels: Invalid value: "a b"' },
    { text: 'pools: [{name: a, count: 1, zones: ["a b"]}]', error: 'pools[0].zones[0]: Invalid value: "a b"' },
    { text: 'pools: [{name: A_, count: 1}]', error: 'pools[0].name: Invalid value: "A_-"' },
    {
      text: 'pools: [{namePrefix: a, count: 11}, {namePrefix: a1, count: 1}]',
      error: 'pools[1].namePrefix: Invalid value: "a1": node a11 belongs to an earlier pool',
    },
    {
      text: 'pools: [{name: a, count: 99999}, {name: b, count: 2}]',
      error: 'pools: Invalid value: 100001: all pools together must have at most 100000 nodes',
    },
  ])
    it(`rejects ${text}`, () => {
      expect(() => parse(text)).to.throw(error)
    })

  it('rejects a file of another kind', () => {
    expect(() => parseNodePools(Buffer.from('kind: Nodes\npools: [{name: a, count: 1}]'))).to.throw(
      'apiVersion: Unsupported value: "": supported values: "binnacle.dev/v1alpha1"; kind: Unsupported value: "Nodes"',
    )
  })
})
