import { expect } from 'chai'
import { clusterCIDRResource } from '../../../../../src/resources/networking/cluster-cidr/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.28')
const nodeSelector = {
  nodeSelectorTerms: [
    {
      matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
      matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
    },
  ],
}
const of = (parts: object = {}): object => ({ spec: { perNodeHostBits: 8, ipv4: '10.0.0.0/8', ...parts } })

describe('ClusterCIDR', () => {
  validates(
    clusterCIDRResource,
    {
      'a range': [of({ nodeSelector, ipv6: 'fd00::/64' }), []],
      'no range': [{ spec: { perNodeHostBits: 8 } }, ['Required spec']],
      'no address': [of({ ipv4: 'x' }), ['Invalid spec.IPv4']],
      'ranges of other families': [
        of({ ipv4: 'fd00::/120', ipv6: '10.0.0.0/8' }),
        ['Invalid spec.IPv4', 'Invalid spec.perNodeHostBits', 'Invalid spec.IPv6'],
      ],
      'few addresses for a node': [of({ perNodeHostBits: 3 }), ['Invalid spec.perNodeHostBits']],
      'many addresses for a node': [of({ perNodeHostBits: 25 }), ['Invalid spec.perNodeHostBits']],
      'no terms': [of({ nodeSelector: {} }), ['Required spec.nodeSelector.nodeSelectorTerms']],
      'a bad name': [of(), ['Invalid metadata.name'], { name: 'a.b' }],
    },
    {
      'the ranges': [of(), of({ ipv4: '11.0.0.0/8', perNodeHostBits: 9 }), ['Invalid spec.perNodeHostBits', 'Invalid spec.ipv4']],
      'the nodes': [of(), of({ nodeSelector }), ['Invalid spec.nodeSelector']],
    },
    features,
  )

  it('prints its CIDRs and node selector', async () => {
    const cases = new KindCases(clusterCIDRResource, features)
    await cases.create(of({ nodeSelector }))
    const nodes = 'MatchExpressions: [{zone In [a b]}],MatchFields: [{metadata.name In [n]}]'
    expect(cases.cells()).to.deep.equal(['x', '8', '10.0.0.0/8', '<none>', '0s', nodes])
  })
})
