import { expect } from 'chai'
import type { EndpointSubset, Endpoints } from '../../../../../src/api/core/v1.types.ts'
import type { EndpointSlice } from '../../../../../src/api/discovery/v1.types.ts'
import { isMirrored, type MirrorPlan, planMirror } from '../../../../../src/cluster/controllers/endpointslicemirroring/mirror.ts'
import { compareText } from '../../../../../src/lib/compare-text.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { endpointsObject, serviceOf } from '../../../../support/slices.ts'

const planOf = (endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorPlan => runAtOnce(planMirror(endpoints, existing))

const PORTS: EndpointSubset['ports'] = [{ name: 'x', port: 1000, protocol: 'TCP' }]
const subset = (...ips: string[]): EndpointSubset => ({ addresses: ips.map(ip => ({ ip })), ports: PORTS })
const stored = (slice: EndpointSlice | undefined, name: string): EndpointSlice => ({
  ...(slice as EndpointSlice),
  metadata: { ...slice?.metadata, name },
})

describe('mirror of Endpoints', () => {
  it('has a slice for each address type, with conditions and what the addresses carry', () => {
    const endpoints = endpointsObject([
      {
        addresses: [{ ip: '6.7.8.9', hostname: 'h', nodeName: 'n' }, { ip: '2001:DB8::1' }],
        notReadyAddresses: [{ ip: '6.7.8.10' }],
        ports: PORTS,
      },
    ])
    const made = planOf(endpoints, []).changes.create.map(({ addressType, endpoints: has, ports }) => ({
      addressType,
      endpoints: has,
      ports,
    }))
    expect(made.toSorted((a, b) => compareText(a.addressType, b.addressType))).to.deep.equal([
      {
        addressType: 'IPv4',
        endpoints: [
          { addresses: ['6.7.8.9'], conditions: { ready: true }, hostname: 'h', nodeName: 'n' },
          { addresses: ['6.7.8.10'], conditions: { ready: false } },
        ],
        ports: PORTS,
      },
      { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'], conditions: { ready: true } }], ports: PORTS },
    ])
  })

  it('has labels and annotations of the Endpoints, without those of kubectl and of the time', () => {
    const annotations = {
      a: 'b',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'endpoints.kubernetes.io/last-change-trigger-time': 'x',
    }
    const [slice] = planOf(endpointsObject([subset('1.2.3.4')], { labels: { c: 'd' }, annotations }), []).changes.create
    expect(slice?.metadata).to.deep.equal({
      namespace: 'default',
      generateName: 'web-',
      labels: {
        c: 'd',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      },
      annotations: { a: 'b' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name: 'web', uid: 'endpoints', controller: true, blockOwnerDeletion: true }],
    })
  })

  it('changes a slice only if it differs, and deletes further ones', () => {
    const slice = stored(planOf(endpointsObject([subset('1.2.3.4')]), []).changes.create[0], 'web-1')
    expect(planOf(endpointsObject([subset('1.2.3.4')]), [slice]).changes).to.deep.equal({ create: [], update: [], remove: [] })
    const next = planOf(endpointsObject([subset('1.2.3.5')]), [slice, stored(slice, 'web-2')]).changes
    expect([next.update.map(({ metadata }) => metadata.name), next.remove.map(({ metadata }) => metadata.name)]).to.deep.equal([
      ['web-1'],
      ['web-2'],
    ])
    expect(planOf(endpointsObject([subset('1.2.3.4')], { labels: { a: 'b' } }), [slice]).changes.update).to.have.length(1)
    expect(planOf(endpointsObject([]), [slice]).changes.remove).to.deep.equal([slice])
  })

  it('counts addresses that are skipped', () => {
    const ips = Array.from({ length: 1003 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
    const { invalid, skipped, changes } = planOf(endpointsObject([subset('!', ...ips)]), [])
    expect([invalid, skipped, changes.create[0]?.endpoints?.length]).to.deep.equal([1, 4, 1000])
  })

  it('is made for services without a selector, unless the Endpoints ask not to', () => {
    const { selector: _, ...spec } = serviceOf().spec
    const service = { ...serviceOf(), spec }
    const excluded = { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }
    const lock = { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }
    expect([
      isMirrored(endpointsObject([]), service),
      isMirrored(endpointsObject([]), undefined),
      isMirrored(endpointsObject([]), serviceOf()),
      isMirrored(endpointsObject([], excluded), service),
      isMirrored(endpointsObject([], lock), service),
    ]).to.deep.equal([true, false, false, false, false])
  })

  it('changes a slice with a label or an annotation that the Endpoints do not give', () => {
    const endpoints = endpointsObject([subset('1.2.3.4')], { labels: { a: 'b' }, annotations: { c: 'd' } })
    const slice = stored(planOf(endpoints, []).changes.create[0], 'web-1')
    const { labels, annotations } = slice.metadata
    const changed: EndpointSlice['metadata'][] = [
      { labels: { ...labels, x: 'y' } },
      { labels: { ...labels, a: 'c' } },
      { annotations: {} },
      { annotations: { ...annotations, 'endpoints.kubernetes.io/last-change-trigger-time': 'x' } },
    ]
    for (const metadata of changed) {
      const other = { ...slice, metadata: { ...slice.metadata, ...metadata } }
      expect(planOf(endpoints, [other]).changes.update).to.deep.equal(
        [slice].map(({ metadata: { generateName: _, ...rest }, ...parts }) => ({ ...parts, metadata: rest })),
      )
    }
  })

  it('gets very many labels, annotations and ports in steps', () => {
    const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const ports = Array.from({ length: 12_000 }, (_, i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP' as const }))
    const addresses = [1, 2, 3].map(i => ({ ip: `10.0.0.${i}` }))
    const endpoints = endpointsObject([{ addresses, ports }], { labels: members, annotations: members })
    const first = countedSteps(planMirror(endpoints, []))
    // The key of the ports is made once for all addresses. Three more passes repack the subsets.
    const expected = 2 * Math.floor(20_000 / 512) + 5 * Math.floor(12_000 / 512)
    expect(first.yields).to.be.within(expected, expected + 40)
    const slice = stored(first.result.changes.create[0], 'web-1')
    expect([slice.ports?.length, slice.endpoints?.length, slice.metadata.annotations]).to.deep.equal([12_000, 3, members])
    const again = countedSteps(planMirror(endpoints, [slice]))
    expect(again.yields).to.be.at.least(expected)
    expect(again.result.changes).to.deep.equal({ create: [], update: [], remove: [] })
    expect(members).not.to.have.property('kubernetes.io/service-name')
  })
})
