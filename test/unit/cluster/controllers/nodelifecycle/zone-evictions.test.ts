import { expect } from 'chai'
import type { Node } from '../../../../../src/api/core/v1.types.ts'
import { ZoneEvictions, zoneOf } from '../../../../../src/cluster/controllers/nodelifecycle/zone-evictions.ts'

const node = (name: string, zone = '', labels: Record<string, string> = {}): Pick<Node, 'metadata'> => ({
  metadata: { name, labels: { ...(zone !== '' && { 'topology.kubernetes.io/zone': zone }), ...labels } },
})

describe('zones and the eviction of their nodes', () => {
  it('are named by region and zone', () => {
    expect([zoneOf(node('a')), zoneOf(node('a', 'z', { 'topology.kubernetes.io/region': 'r' }))]).to.deep.equal(['', 'r:\0:z'])
  })

  it('evict one node of each zone at once, and the next one after ten seconds', () => {
    const zones = new ZoneEvictions()
    for (const zone of ['x', 'y']) for (let i = 0; i < 5; i++) zones.set(node(`${zone}${i}`, zone), i > 1)
    expect(zones.update(0)).to.equal(undefined)
    for (const name of ['x0', 'x1', 'y0']) zones.evict(name)
    expect([zones.due(0), zones.untilNext(0), zones.due(10_000)]).to.deep.equal([['x0', 'y0'], 10_000, ['x1']])
  })

  it('evict none while all are silent, and report when that begins and ends', () => {
    const zones = new ZoneEvictions()
    zones.set(node('a'), false)
    zones.set(node('b', 'z'), false)
    expect([zones.update(0), zones.isHalted, zones.update(1)]).to.deep.equal(['begun', true, undefined])
    zones.evict('a')
    expect(zones.due(1)).to.deep.equal([])
    zones.set(node('b', 'z'), true)
    expect([zones.update(2), zones.isHalted, zones.due(2), zones.due(10_002)]).to.deep.equal(['ended', false, [], ['a']])
  })

  it('do not count nodes that are excluded, and forget those that are deleted', () => {
    const zones = new ZoneEvictions()
    zones.set(node('a'), true)
    zones.set(node('b', '', { 'node.kubernetes.io/exclude-disruption': '' }), false)
    zones.update(0)
    zones.delete('a')
    expect([zones.update(1), zones.isHalted]).to.deep.equal([undefined, false])
  })

  it('evict a partly disrupted zone of few nodes not at all', () => {
    const zones = new ZoneEvictions()
    for (let i = 0; i < 5; i++) zones.set(node(`n${i}`), i > 2)
    zones.update(0)
    zones.evict('n0')
    expect(zones.due(60_000)).to.deep.equal([])
  })
})
