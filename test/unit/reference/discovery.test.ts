import { expect } from 'chai'
import { Discovery } from '../../../src/endpoints/discovery/discovery.ts'
import { FakeExchange } from '../../support/exchange.ts'
import { builtinSnapshot, describeReference, referenceJson } from '../../support/reference.ts'

interface Resource {
  readonly name: string
  readonly singularName: string
  readonly kind: string
  readonly namespaced: boolean
  readonly shortNames: string[]
  readonly categories: string[]
  readonly verbs: string[]
  readonly storageGroupVersion?: string
  readonly storageVersionHash?: string
  readonly subresources: { name: string; kind: string; verbs: string[]; group?: string; version?: string }[]
}
interface Reference {
  readonly groups: { group: string; versions: { version: string; enabledByDefault: boolean; resources: Resource[] }[] }[]
}
interface ListedResource {
  name: string
  kind: string
  verbs: string[]
  storageVersionHash?: string
}
interface AggregatedResource {
  resource: string
  subresources?: { subresource: string }[]
}

describeReference('discovery beside the reference', () => {
  const { groups } = referenceJson('resources-1.33.json') as Reference
  const snapshot = builtinSnapshot()
  const discovery = new Discovery(() => '192.0.2.1:6443')
  const ask = async (path: string, accept?: string): Promise<unknown> => {
    const exchange = new FakeExchange(path, accept === undefined ? {} : { headers: { accept } })
    await discovery.serve(exchange, snapshot)
    return exchange.json
  }

  it('lists the groups in order', async () => {
    const { groups: served } = (await ask('/apis')) as { groups: { name: string; versions: { version: string }[] }[] }
    // Everything is switched on here.
    expect(served.map(({ name }) => name)).to.deep.equal(groups.map(({ group }) => group).filter(group => group !== ''))
  })

  for (const { group, versions } of groups) {
    for (const { version, resources } of versions.filter(one => one.enabledByDefault)) {
      const groupVersion = group === '' ? version : `${group}/${version}`
      const path = group === '' ? `/api/${version}` : `/apis/${groupVersion}`
      it(`lists the resources of ${groupVersion}`, async () => {
        const { resources: listed } = (await ask(path)) as { resources: ListedResource[] }
        const known = resources.flatMap(({ name, subresources }) => [name, ...subresources.map(sub => `${name}/${sub.name}`)])
        expect(listed.map(({ name }) => name)).to.have.members(known)
      })
      for (const resource of resources) {
        const { subresources } = resource
        it(`lists ${resource.name} of ${groupVersion}`, async () => {
          const { resources: listed } = (await ask(path)) as { resources: ListedResource[] }
          const { shortNames, categories, storageVersionHash } = resource
          const own = listed.filter(({ name }) => name === resource.name || name.startsWith(`${resource.name}/`))
          expect(own).to.deep.equal([
            {
              name: resource.name,
              singularName: resource.singularName,
              namespaced: resource.namespaced,
              kind: resource.kind,
              verbs: resource.verbs,
              ...(shortNames.length > 0 && { shortNames }),
              ...(categories.length > 0 && { categories }),
              ...(storageVersionHash !== undefined && { storageVersionHash }),
            },
            ...subresources.map(({ name, kind, verbs, ...gv }) => ({
              name: `${resource.name}/${name}`,
              singularName: '',
              namespaced: resource.namespaced,
              ...gv,
              kind,
              verbs,
            })),
          ])
        })

        it(`aggregates ${resource.name} of ${groupVersion}`, async () => {
          const document = (await ask(
            group === '' ? '/api' : '/apis',
            'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
          )) as {
            items: { metadata: { name?: string }; versions: { version: string; resources: AggregatedResource[] }[] }[]
          }
          const ofVersion = document.items
            .find(({ metadata }) => (metadata.name ?? '') === group)
            ?.versions.find(one => one.version === version)
          const { shortNames, categories } = resource
          expect(ofVersion?.resources.find(one => one.resource === resource.name)).to.deep.equal({
            resource: resource.name,
            responseKind: { group, version, kind: resource.kind },
            scope: resource.namespaced ? 'Namespaced' : 'Cluster',
            singularResource: resource.singularName,
            verbs: resource.verbs,
            ...(shortNames.length > 0 && { shortNames }),
            ...(categories.length > 0 && { categories }),
            ...(subresources.length > 0 && {
              subresources: subresources.map(sub => ({
                subresource: sub.name,
                responseKind: { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind },
                verbs: sub.verbs,
              })),
            }),
          })
        })
      }
    }
  }
})
