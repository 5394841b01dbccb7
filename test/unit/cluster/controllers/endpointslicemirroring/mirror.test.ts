import { expect } from 'chai'
import type { EndpointSubset } from '../../../../../src/api/core/v1.types.ts'
import type { EndpointSlice } from '../../../../../src/api/discovery/v1.types.ts'
import { isMirrored, planMirror } from '../../../../../src/cluster/controllers/endpointslicemirroring/mirror.ts'
import { endpointsObject, serviceOf } from '../../../../support/slices.ts'

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
    expect(
      planMirror(endpoints, []).changes.create.map(({ addressType, endpoints: has, ports }) => ({ addressType, endpoints: has, ports })),
    ).to.deep.equal([
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
    const [slice] = planMirror(endpointsObject([subset('1.2.3.4')], { labels: { c: 'd' }, annotations }), []).changes.create
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
    const slice = stored(planMirror(endpointsObject([subset('1.2.3.4')]), []).changes.create[0], 'web-1')
    expect(planMirror(endpointsObject([subset('1.2.3.4')]), [slice]).changes).to.deep.equal({ create: [], update: [], remove: [] })
    const next = planMirror(endpointsObject([subset('1.2.3.5')]), [slice, stored(slice, 'web-2')]).changes
    expect([next.update.map(({ metadata }) => metadata.name), next.remove.map(({ metadata }) => metadata.name)]).to.deep.equal([
      ['web-1'],
      ['web-2'],
    ])
    expect(planMirror(endpointsObject([subset('1.2.3.4')], { labels: { a: 'b' } }), [slice]).changes.update).to.have.length(1)
    expect(planMirror(endpointsObject([]), [slice]).changes.remove).to.deep.equal([slice])
  })

  it('counts addresses that are skipped', () => {
    const ips = Array.from({ length: 1003 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
    const { invalid, skipped, changes } = planMirror(endpointsObject([subset('nonsense', ...ips)]), [])
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
})
