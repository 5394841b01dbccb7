import { expect } from 'chai'
import { createClusterRoleResource } from '../../../../src/resources/rbac/cluster-role/definition.ts'
import { createRoleResource } from '../../../../src/resources/rbac/role/definition.ts'
import { KindCases, validates } from '../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../support/workloads.ts'

const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const url = { verbs: ['get'], nonResourceURLs: ['/metrics'] }
const aggregated = (...clusterRoleSelectors: object[]): object => ({ aggregationRule: { clusterRoleSelectors } })

describe('Role', () => {
  validates(
    createRoleResource(),
    {
      'no rules': [{}, []],
      'rules for names': [{ rules: [{ ...pods, resourceNames: ['x'] }] }, []],
      'a name with a colon': [{ rules: [pods] }, [], { name: 'system:x' }],
      'a name with a percent sign': [{}, ['Invalid metadata.name'], { name: 'a%b' }],
      'an empty rule': [{ rules: [{}] }, ['Required rules[0].verbs', 'Required rules[0].apiGroups', 'Required rules[0].resources']],
      'a path': [{ rules: [url] }, ['Invalid rules[0].nonResourceURLs']],
    },
    {
      'to a rule without groups, reported twice': [
        {},
        { rules: [{ verbs: ['get'], resources: ['pods'] }] },
        Array(2).fill('Required rules[0].apiGroups'),
      ],
    },
  )
})

describe('ClusterRole', () => {
  validates(createClusterRoleResource(), {
    'a path': [{ rules: [url] }, []],
    'a path and a resource in one rule': [{ rules: [{ ...pods, ...url }] }, ['Invalid rules[0].nonResourceURLs']],
    'an aggregation': [aggregated({ matchLabels: { a: 'b' } }), []],
    'an aggregation of everything': [aggregated({}), []],
    'an aggregation of nothing': [aggregated(), ['Required aggregationRule.clusterRoleSelectors']],
    'an unknown operator': [
      aggregated({ matchExpressions: [{ key: 'a', operator: 'Near' }] }),
      ['Invalid aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator', 'Invalid aggregationRule.clusterRoleSelectors[0]'],
    ],
  })

  it('has these error messages', async () => {
    const cases = new KindCases(createClusterRoleResource())
    expect(await messagesOf(cases.create({ rules: [{ ...pods, ...url, verbs: [] }] }))).to.deep.equal([
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].nonResourceURLs: Invalid value: []string{"/metrics"}: rules cannot apply to both regular resources and non-resource URLs',
    ])
    expect(await messagesOf(cases.create(aggregated()))).to.deep.equal([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ])
  })
})
