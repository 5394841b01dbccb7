import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { EndpointSlice } from '../../../../../src/api/discovery/v1.types.ts'
import { type PlanInput, planInSteps, planSlices } from '../../../../../src/cluster/controllers/endpointslice/plan.ts'
import { newSlice } from '../../../../../src/cluster/controllers/endpointslice/slice.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
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

/** A new slice once it is stored. */
const named = (slice: EndpointSlice): EndpointSlice => ({ ...slice, metadata: { ...slice.metadata, name: 'web-1' } })

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
    const placeholder = runAtOnce(newSlice(serviceOf(), 'IPv4', []))
    const again = await planSlices(input({ existing: [{ ...placeholder, metadata: { ...placeholder.metadata, name: 'web-1' } }] }))
    expect(again.changes).to.deep.equal({ create: [], update: [], remove: [] })
  })

  it('deletes slices of an earlier service of the same name', async () => {
    const old = runAtOnce(newSlice(serviceOf({}, { uid: 'old' }), 'IPv4', []))
    const { changes } = await planSlices(input({ existing: [{ ...old, metadata: { ...old.metadata, name: 'web-1' } }] }))
    expect([changes.remove.length, changes.create.length]).to.deep.equal([1, 1])
  })

  it('ignores labels of the slice that are reserved, and replaces others', async () => {
    const service = serviceOf({}, { labels: { a: 'b', 'service.kubernetes.io/headless': '' } })
    const pods = [pod('p', '10.0.0.1')]
    const made = (await planSlices(input({ service, pods }))).changes.create.map(named)
    const own = { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' }
    expect(made.map(({ metadata }) => metadata.labels)).to.deep.equal([{ a: 'b', ...own }])
    const again = await planSlices(input({ service, pods, existing: made }))
    expect(again.changes).to.deep.equal({ create: [], update: [], remove: [] })
    for (const labels of [{ a: 'c' }, { b: 'b' }, { a: 'b', c: 'd' }, undefined]) {
      const { update } = (await planSlices(input({ service: serviceOf({}, labels && { labels }), pods, existing: made }))).changes
      expect(update.map(({ metadata }) => metadata.labels)).to.deep.equal([{ ...labels, ...own }])
    }
  })

  it('gets very many labels of the service in steps', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const service = serviceOf({}, { labels })
    const pods = [pod('p', '10.0.0.1')]
    const first = countedSteps(planInSteps(input({ service, pods })))
    // The labels of the plan, and those of the slice.
    expect(first.yields).to.be.at.least(2 * Math.floor(20_000 / 512))
    const made = first.result.changes.create.map(named)
    expect(made[0]?.metadata.labels).to.deep.include({ ...labels, 'kubernetes.io/service-name': 'web' })
    const again = countedSteps(planInSteps(input({ service, pods, existing: made })))
    // The labels of the plan, and their comparison with those of the slice.
    expect(again.yields).to.be.at.least(2 * Math.floor(20_000 / 512))
    expect(again.result.changes).to.deep.equal({ create: [], update: [], remove: [] })
    expect(labels).not.to.have.property('kubernetes.io/service-name')
  })

  for (const [kind, targetPort] of [
    ['numbered', 8080],
    ['named', 'http'],
  ] as const)
    it(`groups pods by very many ${kind} ports in steps`, () => {
      const ports = Array.from({ length: 12_000 }, (_, i) => ({ name: `p${i}`, port: i + 1, targetPort, protocol: 'TCP' as const }))
      const service = serviceOf({ ports })
      const containers = [{ name: 'c', resources: {}, ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' as const }] }]
      const pods = [1, 2, 3].map(i => pod(`p${i}`, `10.0.0.${i}`, { containers }))
      const first = countedSteps(planInSteps(input({ service, pods })))
      // The ports and their key, once if they are the same for all pods. Sorting takes some steps too.
      const rounds = kind === 'named' ? 3 : 1
      expect(first.yields).to.be.within(rounds * 46, rounds * 92)
      const { create } = first.result.changes
      expect(create.map(slice => [slice.endpoints?.length, slice.ports?.length])).to.deep.equal([[3, 12_000]])
      expect(create[0]?.ports?.at(-1)).to.deep.equal({ name: 'p11999', port: 8080, protocol: 'TCP' })
      const again = countedSteps(planInSteps(input({ service, pods, existing: create.map(named) })))
      expect(again.yields).to.be.greaterThan(first.yields)
      expect(again.result.changes).to.deep.equal({ create: [], update: [], remove: [] })
    })
})
