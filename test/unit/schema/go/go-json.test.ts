import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { types } from '../../../../src/catalog/types.ts'
import { goJson } from '../../../../src/schema/go/go-json.ts'

describe("JSON of the server's own types", () => {
  const VALUES: [type: string, value: Json, text: string][] = [
    ['core.NodeAddress', { type: 'Hostname', address: 'a<b' }, String.raw`{"Type":"Hostname","Address":"a\u003cb"}`],
    ['batch.SuccessPolicy', { rules: [{ succeededCount: 1 }] }, '{"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}'],
    ['batch.SuccessPolicy', {}, '{"Rules":null}'],
    ['rbac.RoleRef', { apiGroup: 'g', kind: 'Role', name: 'r' }, '{"APIGroup":"g","Kind":"Role","Name":"r"}'],
    [
      'apps.DeploymentStrategy',
      { type: 'X', rollingUpdate: { maxUnavailable: 0, maxSurge: '10%' } },
      '{"Type":"X","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"10%"}}',
    ],
    // Fields of an embedded struct are promoted.
    ['core.SecretKeySelector', { name: 'a', key: 'b' }, '{"Name":"a","Key":"b","Optional":null}'],
    // IntOrString and Quantity have JSON marshalers of their own.
    ['core.TCPSocketAction', { port: 'http' }, '{"Port":"http","Host":""}'],
    ['core.TCPSocketAction', {}, '{"Port":0,"Host":""}'],
    [
      'core.ResourceFieldSelector',
      { resource: 'limits.cpu', divisor: '1m' },
      '{"ContainerName":"","Resource":"limits.cpu","Divisor":"1m"}',
    ],
    [
      'core.ResourceRequirements',
      { limits: { memory: '1Gi', cpu: '1' } },
      '{"Limits":{"cpu":"1","memory":"1Gi"},"Requests":null,"Claims":null}',
    ],
    // Types of metav1 have their usual JSON.
    [
      'core.WeightedPodAffinityTerm',
      { weight: 1, podAffinityTerm: { topologyKey: 'k', labelSelector: { matchLabels: { a: 'b' } } } },
      '{"Weight":1,"PodAffinityTerm":{"LabelSelector":{"matchLabels":{"a":"b"}},"Namespaces":null,"TopologyKey":"k","NamespaceSelector":null,"MatchLabelKeys":null,"MismatchLabelKeys":null}}',
    ],
  ]
  for (const [type, value, text] of VALUES) it(text, () => expect(goJson(types.type(type), value)).to.equal(text))

  it('formats a single member', () => expect(goJson(types.type('core.Pod'), ['a'], 'metadata')).to.equal('["a"]'))

  it('is truncated if it is long', () => {
    const text = goJson(types.type('core.ConfigMap'), {
      data: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key${i}`, 'value'])),
    })
    expect(text.length).to.be.below(70_000)
    expect(text).to.include('...')
  })
})
