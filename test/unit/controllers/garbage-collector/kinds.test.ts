import { expect } from 'chai'
import { isCollected, OwnerKinds } from '../../../../src/controllers/garbage-collector/kinds.ts'
import { builtinRegistry } from '../../../support/builtin-registry.ts'

describe('OwnerKinds', () => {
  const { catalog } = builtinRegistry()
  const kinds = new OwnerKinds(catalog)

  it('finds kinds in any served version', () => {
    expect(kinds.find('v1', 'ConfigMap')).to.deep.equal({ id: { group: '', resource: 'configmaps' }, namespaced: true })
    for (const version of ['v1', 'v2'])
      expect(kinds.find(`autoscaling/${version}`, 'HorizontalPodAutoscaler')?.id).to.deep.equal({
        group: 'autoscaling',
        resource: 'horizontalpodautoscalers',
      })
    expect(kinds.find('v1', 'Node')?.namespaced).to.equal(false)
    for (const [apiVersion, kind] of [
      ['apps/v1beta1', 'Deployment'],
      ['v1', 'configmaps'],
      ['v1', 'ConfigMapList'],
      ['authorization.k8s.io/v1', 'SubjectAccessReview'],
    ] as const)
      expect(kinds.find(apiVersion, kind), kind).to.equal(undefined)
  })

  it('excludes events and kinds that are not stored', () => {
    const collected = catalog
      .snapshot()
      .definitions.filter(isCollected)
      .map(({ hub }) => hub.names.plural)
    expect(collected).to.include.members(['pods', 'namespaces', 'deployments', 'leases', 'clusterroles'])
    for (const virtual of ['tokenreviews', 'componentstatuses', 'bindings']) expect(collected, virtual).not.to.include(virtual)
    expect(collected).not.to.include('events')
  })
})
