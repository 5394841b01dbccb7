import { expect } from 'chai'
import { limitedResources } from '../../../../../src/resources/core/resource-quota/configuration.ts'

const read = (text: string) => limitedResources(new Map([['ResourceQuota', Buffer.from(text)]]))
const V1 = 'apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\n'

describe('the configuration of ResourceQuota', () => {
  it('limits nothing by default', () => {
    expect(limitedResources(new Map())).to.deep.equal([])
    expect(read(V1)).to.deep.equal([])
  })

  for (const head of [
    V1,
    'apiVersion: resourcequota.admission.k8s.io/v1beta1\nkind: Configuration\n',
    'apiVersion: resourcequota.admission.k8s.io/v1alpha1\nkind: Configuration\n',
  ])
    it(`is parsed: ${head.split('\n')[0]}`, () => {
      const scope = '{scopeName: PriorityClass, operator: In, values: [cluster-services]}'
      expect(read(`${head}limitedResources:\n- {resource: pods, matchContains: [cpu], matchScopes: [${scope}]}\n`)).to.deep.equal([
        {
          resource: 'pods',
          matchContains: ['cpu'],
          matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['cluster-services'] }],
        },
      ])
    })

  it('is refused without resources, with unknown fields, and of other kinds', () => {
    expect(() => read(`${V1}limitedResources: [{}]`)).to.throw(
      `couldn't init admission plugin "ResourceQuota": limitedResources[0].resource: Required value`,
    )
    expect(() => read(`${V1}limited: []`)).to.throw('strict decoding error: unknown field "limited"')
    expect(() => read('apiVersion: v1\nkind: Configuration\n')).to.throw('no kind "Configuration" is registered')
  })
})
