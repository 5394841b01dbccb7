import { expect } from 'chai'
import { Catalog, CatalogSnapshot, subresourceOf } from '../../../src/catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../../src/catalog/definition.ts'
import { widgetResource } from '../../support/test-registry.ts'

/** Creates a resource with versions `group/version`, of which the first is the hub. */
function resource(plural: string, versions: readonly string[], more: Partial<ResourceDefinition> = {}): ResourceDefinition {
  const { hub } = widgetResource()
  const made = versions.map((text): Version => {
    const [group, name] = text.split('/') as [string, string]
    return { ...hub, group, name, names: { plural, singular: plural.slice(0, -1) } }
  })
  return { ...widgetResource(), versions: made as [Version, ...Version[]], hub: made[0]!, ...more }
}

describe('the catalog', () => {
  const events = resource('events', ['events.k8s.io/v1', '/v1'])
  const ranges = resource('ranges', ['/v1'], { internal: true })
  const snapshot = new CatalogSnapshot(1, [resource('pods', ['/v1']), events, resource('webs', ['x.io/v1', 'x.io/v1beta1']), ranges])

  it('finds a resource by group, version and plural', () => {
    expect(snapshot.find('', 'v1', 'pods')?.definition.hub.names.plural).to.equal('pods')
    expect(snapshot.find('', 'v1', 'events')).to.deep.equal({ definition: events, version: events.versions[1] })
    expect(snapshot.find('events.k8s.io', 'v1', 'events')?.version).to.equal(events.hub)
    for (const [group, version, plural] of [
      ['', 'v2', 'pods'],
      ['apps', 'v1', 'pods'],
      ['', 'v1', 'pod'],
      ['', 'v1', 'toString'],
    ] as const)
      expect(snapshot.find(group, version, plural)).to.equal(undefined)
  })

  it('does not serve internal resources, and finds their definition', () => {
    expect(snapshot.find('', 'v1', 'ranges')).to.equal(undefined)
    expect(snapshot.resourcesOf('v1').map(({ version }) => version.names.plural)).to.deep.equal(['pods', 'events'])
    expect(snapshot.definition('', 'ranges')).to.equal(ranges)
  })

  it('finds a definition by any of its groups', () => {
    expect(snapshot.definition('events.k8s.io', 'events')).to.equal(events)
    expect(snapshot.definition('', 'events')).to.equal(events)
    expect(snapshot.definition('x.io', 'events')).to.equal(undefined)
  })

  it("lists groups in upstream's order, then others, and versions by preference", () => {
    const more = [resource('webs', ['x.io/v1', 'x.io/v1beta1']), resource('nets', ['x.io/v2alpha1', 'x.io/v2beta1', 'apps/v1']), events]
    expect(new CatalogSnapshot(1, more).servedGroupVersions()).to.deep.equal([
      ...['v1', 'apps/v1', 'events.k8s.io/v1'],
      ...['x.io/v1', 'x.io/v2beta1', 'x.io/v1beta1', 'x.io/v2alpha1'],
    ])
    expect(snapshot.resourcesOf('y.io/v1')).to.deep.equal([])
  })

  it('reports which versions the release has deprecated', () => {
    const cidrs = resource('servicecidrs', ['networking.k8s.io/v1beta1'])
    const hub = { ...cidrs.hub, kind: 'ServiceCIDR' }
    const deprecation = (release?: '1.33' | '1.34') =>
      new CatalogSnapshot(1, [{ ...cidrs, versions: [hub], hub }], release).find('networking.k8s.io', 'v1beta1', 'servicecidrs')
        ?.deprecation
    expect(deprecation()).to.equal(undefined)
    expect(deprecation('1.33')).to.equal(undefined)
    expect(deprecation('1.34')).to.deep.equal({
      warning: 'networking.k8s.io/v1beta1 ServiceCIDR is deprecated in v1.34+, unavailable in v1.37+',
      removedRelease: '1.37',
    })
  })

  it('rejects a duplicate resource', () => {
    expect(() => new CatalogSnapshot(1, [resource('pods', ['/v1']), resource('pods', ['/v1'])])).to.throw(
      'resource /v1/pods is defined twice',
    )
  })

  it('replaces the snapshot, and notifies subscribers', () => {
    const catalog = new Catalog([resource('pods', ['/v1'])])
    const before = catalog.snapshot()
    const seen: number[] = []
    const stop = catalog.subscribe(({ generation }) => seen.push(generation))
    catalog.replace([])
    stop()
    catalog.replace([events])
    expect(seen).to.deep.equal([before.generation + 1])
    expect(before.find('', 'v1', 'pods')).to.not.equal(undefined)
    expect(catalog.snapshot().definitions).to.deep.equal([events])
  })

  it('finds the subresources of a version, but no members of the prototype', () => {
    const { hub } = widgetResource()
    expect(subresourceOf(hub, 'status')?.verbs).to.deep.equal(['get', 'patch', 'update'])
    expect(subresourceOf(hub, 'constructor')).to.equal(undefined)
    const { subresources: _, ...bare } = hub
    expect(subresourceOf(bare, 'status')).to.equal(undefined)
  })
})
