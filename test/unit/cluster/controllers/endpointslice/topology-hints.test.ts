import { expect } from 'chai'
import type { Node } from '../../../../../src/api/core/v1.types.ts'
import type { Endpoint, EndpointSlice } from '../../../../../src/api/discovery/v1.types.ts'
import { isOverloaded } from '../../../../../src/cluster/controllers/endpointslice/topology/allocations.ts'
import { TopologyHints } from '../../../../../src/cluster/controllers/endpointslice/topology/topology-hints.ts'
import { zoneCpuOf } from '../../../../../src/cluster/controllers/endpointslice/topology/zone-cpu.ts'
import { sliceOf } from '../../../../support/slices.ts'

const inZone = (zone: string, index: number, hint?: string): Partial<Endpoint> => ({
  addresses: [`10.1.0.${index}`],
  zone,
  ...(hint !== undefined && { hints: { forZones: [{ name: hint }] } }),
})

const zoneHints = ({ endpoints }: EndpointSlice): (string | undefined)[] => (endpoints ?? []).map(({ hints }) => hints?.forZones?.[0]?.name)

function topologyOf(ratios: Record<string, number> | undefined): TopologyHints {
  const topology = new TopologyHints()
  topology.ratios = ratios && new Map(Object.entries(ratios))
  return topology
}

describe('hints by the CPU of zones', () => {
  it('move endpoints from a zone with too many to one with too few', () => {
    const topology = topologyOf({ a: 0.5, b: 0.5 })
    const slice = sliceOf('s', [inZone('a', 1), inZone('a', 2), inZone('a', 3), inZone('b', 4)])
    const { slices, events } = topology.add('ns/svc', 'IPv4', { create: [slice], update: [], unchanged: [] })
    expect(zoneHints(slices.create[0] as EndpointSlice)).to.deep.equal(['b', 'a', 'a', 'b'])
    expect(events).to.deep.equal([
      { type: 'Normal', reason: 'TopologyAwareHintsEnabled', message: 'Topology Aware Hints has been enabled, addressType: IPv4' },
    ])
    expect(zoneHints(slice)).to.deep.equal([undefined, undefined, undefined, undefined])
  })

  it('leave a slice alone whose hints are right, and report the start once', () => {
    const topology = topologyOf({ a: 0.5, b: 0.5 })
    const good = sliceOf('s', [inZone('a', 1, 'a'), inZone('b', 2, 'b')])
    expect(topology.add('ns/svc', 'IPv4', { create: [], update: [], unchanged: [good] }).events).to.have.length(1)
    const again = topology.add('ns/svc', 'IPv4', { create: [], update: [], unchanged: [good] })
    expect([again.slices.update, again.slices.unchanged, again.events]).to.deep.equal([[], [good], []])
  })

  const refusals: [string, Record<string, number> | undefined, Partial<Endpoint>[], string][] = [
    [
      'the nodes lack information',
      undefined,
      [inZone('a', 1)],
      'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
    ],
    [
      'there are more zones than endpoints',
      { a: 0.5, b: 0.5 },
      [inZone('a', 1)],
      'Insufficient number of endpoints (1 endpoints, 2 zones)',
    ],
    [
      'no distribution avoids overload',
      { a: 0.9, b: 0.05, c: 0.05 },
      [inZone('a', 1), inZone('b', 2), inZone('c', 3)],
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 3 zones)',
    ],
    [
      'an endpoint has no zone',
      { a: 0.5, b: 0.5 },
      [inZone('a', 1), { addresses: ['10.1.0.9'] }],
      'One or more endpoints do not have a zone specified',
    ],
  ]
  for (const [when, ratios, endpoints, reason] of refusals)
    it(`are removed if ${when}`, () => {
      const old = sliceOf('old', [inZone('a', 8, 'a')])
      const ready = { ...old, endpoints: (old.endpoints ?? []).map(each => ({ ...each, conditions: { ready: false } })) }
      const { slices, events } = topologyOf(ratios).add('ns/svc', 'IPv4', {
        create: [sliceOf('s', endpoints)],
        update: [],
        unchanged: [ready],
      })
      expect(events).to.deep.equal([{ type: 'Warning', reason: 'TopologyAwareHintsDisabled', message: `${reason}, addressType: IPv4` }])
      expect([...slices.create, ...slices.update].flatMap(zoneHints)).to.deep.equal([...endpoints.map(() => undefined), undefined])
    })

  it('name services with a zone that has too few endpoints', () => {
    const topology = topologyOf({ a: 0.5, b: 0.5 })
    topology.add('ns/svc', 'IPv4', { create: [sliceOf('s', [inZone('a', 1), inZone('b', 2)])], update: [], unchanged: [] })
    expect(topology.overloaded()).to.deep.equal([])
    topology.ratios = new Map([['c', 1]])
    expect(topology.overloaded()).to.deep.equal(['ns/svc'])
    expect(topology.disable('ns/svc', 'IPv4').map(({ message }) => message)).to.deep.equal([
      'Topology Aware Hints has been disabled, addressType: IPv4',
    ])
    expect([topology.overloaded(), topology.disable('ns/svc', 'IPv4')]).to.deep.equal([[], []])
    expect(isOverloaded(new Map([['a', 1]]), undefined)).to.equal(true)
  })
})

describe('CPU of zones', () => {
  const node = (zone: string, cpu: string, ready = 'True', labels = {}): Node => {
    const made: unknown = {
      metadata: { labels: { 'topology.kubernetes.io/zone': zone, ...labels } },
      status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: ready }] },
    }
    return made as Node
  }
  const ratiosOf = (nodes: Node[]): object | undefined => {
    const zones = zoneCpuOf(nodes)
    return zones && Object.fromEntries(zones.ratios)
  }

  it('is that of ready nodes outside the control plane', () => {
    const nodes = [
      node('a', '1'),
      node('b', '2500m'),
      node('b', '500m'),
      node('a', '8', 'False'),
      node('c', '8', 'True', { 'node-role.kubernetes.io/control-plane': '' }),
    ]
    expect(ratiosOf(nodes)).to.deep.equal({ a: 0.25, b: 0.75 })
  })

  it('is unknown with one zone, or if a node lacks a zone or CPU', () => {
    expect(
      [
        [node('a', '1'), node('a', '1')],
        [node('a', '1'), node('b', '1'), node('', '1')],
        [node('a', '1'), node('b', '0')],
      ].map(ratiosOf),
    ).to.deep.equal([undefined, undefined, undefined])
  })
})
