import { expect } from 'chai'
import { resourceQuotaResource } from '../../../../../src/resources/core/resource-quota/definition.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const hard = (amounts: object, more: object = {}): object => ({ spec: { hard: amounts, ...more } })
const selector = (expression: object, amounts: object = { pods: '1' }): object =>
  hard(amounts, { scopeSelector: { matchExpressions: [expression] } })
const AT = 'spec.scopeSelector.matchExpressions'

describe('resource quotas', () => {
  validates(
    resourceQuotaResource,
    {
      good: [hard({ cpu: '1', 'count/deployments.apps': '4', 'requests.example.com/gpu': '2', 'requests.hugepages-2Mi': '1Gi' }), []],
      negative: [hard({ cpu: '-1', pods: '-1' }), ['Invalid spec.hard[cpu]', 'Invalid spec.hard[pods]']],
      'fractions of countable resources': [hard({ pods: '.1', cpu: '.1' }), ['Invalid spec.hard[pods]']],
      'a resource that has no quota': [hard({ storage: '1' }), ['Invalid spec.hard[storage]']],
      'an unknown resource': [hard({ network: '1' }), ['Invalid spec.hard[network]', 'Invalid spec.hard[network]']],
      'an unknown scope': [hard({ cpu: '1' }, { scopes: ['foo'] }), ['Invalid spec.scopes']],
      'a scope that does not fit': [hard({ secrets: '1', 'a.b/c': '1' }, { scopes: ['Terminating'] }), ['Invalid spec.scopes']],
      'scopes against each other': [hard({ cpu: '1' }, { scopes: ['Terminating', 'NotTerminating'] }), ['Invalid spec.scopes']],
      'a selector': [selector({ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }), []],
      'a selector without values': [selector({ scopeName: 'PriorityClass', operator: 'In' }), [`Required ${AT}.values`]],
      'a selector with values it has no use for': [
        selector({ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }),
        [`Invalid ${AT}.values`],
      ],
      'a scope that only exists': [selector({ scopeName: 'BestEffort', operator: 'In', values: ['a'] }), [`Invalid ${AT}.operator`]],
      'a scope of claims': [
        selector(
          { scopeName: 'VolumeAttributesClass', operator: 'NotIn', values: ['a'] },
          { persistentvolumeclaims: '1', 'requests.storage': '1Gi' },
        ),
        [],
      ],
      'a scope of claims for pods': [hard({ pods: '1' }, { scopes: ['VolumeAttributesClass'] }), ['Invalid spec.scopes']],
      'an unknown operator': [selector({ scopeName: 'PriorityClass', operator: 'Near' }), [`Invalid ${AT}.operator`]],
      'an unknown scope in a selector': [selector({ scopeName: 'foo', operator: 'Exists' }), [`Invalid ${AT}.scopeName`]],
      'a selector that does not fit': [selector({ scopeName: 'BestEffort', operator: 'Exists' }, { cpu: '1' }), [`Invalid ${AT}`]],
    },
    {
      amounts: [hard({ pods: '1' }), hard({ pods: '2' }), []],
      'scopes stay': [
        hard({ pods: '1' }, { scopes: ['BestEffort'] }),
        hard({ pods: '1' }, { scopes: ['NotBestEffort'] }),
        ['Invalid spec.scopes'],
      ],
    },
  )

  it('round quantities up and drop the status on create', async () => {
    const made = await new KindCases(resourceQuotaResource).create({ ...hard({ cpu: '100500u' }), status: { hard: { pods: '9' } } })
    expect([made.spec, made.status]).to.deep.equal([{ hard: { cpu: '101m' } }, {}])
  })

  it('write, validate and print their status', async () => {
    const cases = new KindCases(resourceQuotaResource)
    await cases.create(hard({ pods: '1' }))
    expect(await causesOf(cases.update({ status: { used: { storage: '1' } } }, {}, 'status'))).to.deep.equal([
      'Invalid status.used[storage]',
    ])
    const next = await cases.update(
      { spec: {}, status: { hard: { pods: '1', 'limits.cpu': '2', cpu: '1' }, used: { pods: '0', 'limits.cpu': '500m' } } },
      {},
      'status',
    )
    expect(next.spec).to.deep.equal({ hard: { pods: '1' } })
    expect(cases.cells()).to.deep.equal(['x', 'cpu: 0/1, pods: 0/1', 'limits.cpu: 500m/2', '0s'])
  })
})
