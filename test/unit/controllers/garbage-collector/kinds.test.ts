import { expect } from 'chai'
import { isCollected, OwnerKinds, trackedVersion } from '../../../../src/controllers/garbage-collector/kinds.ts'
import { apiVersionOf } from '../../../../src/meta/gvk.ts'
import { builtinRegistry } from '../../../support/builtin-registry.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'
import { TestRegistry } from '../../../support/test-registry.ts'

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

  it('names objects by a version that is served', () => {
    // In 1.34, the version in which claims are kept in memory is not served.
    const { catalog: later } = new TestRegistry(servedBuiltins({}, {}, undefined, '1.34'))
    const ofLater = new OwnerKinds(later)
    const versions = later
      .snapshot()
      .definitions.filter(isCollected)
      .map(definition => ({ definition, tracked: trackedVersion(definition) }))
    for (const { definition, tracked } of versions)
      expect(ofLater.find(apiVersionOf({ group: tracked.group, version: tracked.name }), tracked.kind)?.id.resource, tracked.kind).to.equal(
        definition.hub.names.plural,
      )
    expect(versions.find(({ tracked }) => tracked.kind === 'ResourceClaim')?.tracked.name).to.equal('v1')
    expect(versions.find(({ tracked }) => tracked.kind === 'ResourceClaim')?.definition.hub.name).to.not.equal('v1')
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
