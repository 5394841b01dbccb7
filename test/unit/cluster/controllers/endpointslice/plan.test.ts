import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { type PlanInput, planSlices } from '../../../../../src/cluster/controllers/endpointslice/plan.ts'
import { newSlice } from '../../../../../src/cluster/controllers/endpointslice/slice.ts'
import { nodeOf, podOf } from '../../../../support/scheduling.ts'
import { serviceOf } from '../../../../support/slices.ts'

const NODE = nodeOf('n', { labels: { 'topology.kubernetes.io/zone': 'a' } })
const READY = [{ type: 'Ready' as const, status: 'True' as const }] as NonNullable<Pod['status']['conditions']>

const pod = (name: string, ip: string, parts: Partial<Pod['spec']> = {}): Pod =>
  podOf({
    name,
    nodeName: 'n',
    spec: parts,
    status: { phase: 'Running', podIP: ip, podIPs: [{ ip }, { ip: `fd00::${ip.slice(-1)}` }], conditions: READY },
  })

const input = (parts: Partial<PlanInput> = {}): PlanInput => ({
  service: serviceOf(),
  addressType: 'IPv4',
  pods: [],
  existing: [],
  nodeOf: name => (name === 'n' ? NODE : undefined),
  max: 100,
  topology: undefined,
  hasSameDistribution: true,
  ...parts,
})

describe('plan of the slices of a service', () => {
  it('has an endpoint with zone, node and conditions for each pod, by address type', async () => {
    const v4 = await planSlices(input({ pods: [pod('p', '10.0.0.1')] }))
    expect(v4.changes.create.map(({ endpoints, ports, metadata }) => ({ endpoints, ports, labels: metadata.labels }))).to.deep.equal([
      {
        endpoints: [
          {
            addresses: ['10.0.0.1'],
            conditions: { ready: true, serving: true, terminating: false },
            targetRef: { kind: 'Pod', namespace: 'default', name: 'p', uid: 'p' },
            nodeName: 'n',
            zone: 'a',
          },
        ],
        ports: [{ name: '', port: 8080, protocol: 'TCP' }],
        labels: { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
      },
    ])
    const v6 = await planSlices(input({ addressType: 'IPv6', pods: [pod('p', '10.0.0.1')] }))
    expect(v6.changes.create[0]?.endpoints?.[0]?.addresses).to.deep.equal(['fd00::1'])
  })

  it('reports pods of unknown nodes, and publishes them if the service publishes addresses that are not ready', async () => {
    const pods = [pod('p', '10.0.0.1', { nodeName: 'gone' })]
    const strict = await planSlices(input({ pods }))
    expect(strict.errors).to.deep.equal(['skipping Pod p for Service default/web: Node gone Not Found'])
    expect(strict.changes.create.map(({ endpoints }) => endpoints)).to.deep.equal([[]])
    const lax = await planSlices(input({ service: serviceOf({ publishNotReadyAddresses: true }), pods }))
    expect([lax.errors, lax.changes.create[0]?.endpoints?.length]).to.deep.equal([[], 1])
  })

  it('keeps an empty slice for a service without endpoints, and makes it once', async () => {
    const { changes } = await planSlices(input())
    expect(changes.create.map(({ endpoints, ports }) => [endpoints, ports])).to.deep.equal([[[], []]])
    const placeholder = newSlice(serviceOf(), 'IPv4', [])
    const again = await planSlices(input({ existing: [{ ...placeholder, metadata: { ...placeholder.metadata, name: 'web-1' } }] }))
    expect(again.changes).to.deep.equal({ create: [], update: [], remove: [] })
  })

  it('deletes slices of an earlier service of the same name', async () => {
    const old = newSlice(serviceOf({}, { uid: 'old' }), 'IPv4', [])
    const { changes } = await planSlices(input({ existing: [{ ...old, metadata: { ...old.metadata, name: 'web-1' } }] }))
    expect([changes.remove.length, changes.create.length]).to.deep.equal([1, 1])
  })
})
