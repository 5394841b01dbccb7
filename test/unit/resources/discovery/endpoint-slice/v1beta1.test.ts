import { expect } from 'chai'
import type { Endpoint } from '../../../../../src/api/discovery/v1.types.ts'
import type { Endpoint as EndpointV1beta1 } from '../../../../../src/api/discovery/v1beta1.types.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { fromV1, sliceToV1 } from '../../../../../src/resources/discovery/endpoint-slice/v1beta1.ts'

const HOST = 'kubernetes.io/hostname'
const ZONE = 'topology.kubernetes.io/zone'
const slice = { apiVersion: '', kind: 'EndpointSlice', metadata: {}, addressType: 'IPv4', ports: null } as const
const bare = { addresses: ['10.0.0.1'], conditions: {} }

describe('endpoints of discovery.k8s.io/v1beta1', () => {
  const cases: [what: string, v1beta1: Partial<EndpointV1beta1>, v1: Partial<Endpoint>, back?: Partial<EndpointV1beta1>][] = [
    ['nothing', {}, {}],
    ['a zone', { topology: { [ZONE]: 'z' } }, { zone: 'z' }],
    ['a node, in both places', { nodeName: 'n', topology: { [HOST]: 'n' } }, { nodeName: 'n' }],
    ['a node, in the field alone', { nodeName: 'n' }, { nodeName: 'n' }, { nodeName: 'n', topology: { [HOST]: 'n' } }],
    ['a host that is not the node', { nodeName: 'n', topology: { [HOST]: 'm' } }, { nodeName: 'n', deprecatedTopology: { [HOST]: 'm' } }],
    ['a host without a node', { topology: { [HOST]: 'm' } }, { deprecatedTopology: { [HOST]: 'm' } }],
    [
      'all',
      { nodeName: 'n', topology: { [HOST]: 'n', [ZONE]: 'z', a: 'b' } },
      { nodeName: 'n', zone: 'z', deprecatedTopology: { a: 'b' } },
    ],
    ['an empty map', { topology: {} }, {}, {}],
  ]
  for (const [what, v1beta1, v1, back = v1beta1] of cases)
    it(`have ${what}`, () => {
      const there = runAtOnce(sliceToV1({ ...slice, endpoints: [{ ...bare, ...v1beta1 }] }))
      expect(there.endpoints).to.deep.equal([{ ...bare, ...v1 }])
      expect(runAtOnce(fromV1(there)).endpoints).to.deep.equal([{ ...bare, ...back }])
    })

  it('may be null', () => expect(runAtOnce(fromV1(runAtOnce(sliceToV1({ ...slice, endpoints: null })))).endpoints).to.equal(null))
})
