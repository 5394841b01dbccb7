import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { CatalogSnapshot } from '../../../../src/catalog/catalog.ts'
import { apiResources, listGroups, storageVersionHash } from '../../../../src/endpoints/discovery/resources.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'
import { widgetResource } from '../../../support/test-registry.ts'

type Listed = Record<string, { name: string }[]>

const listed = (file: string): Listed =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/discovery/${file}`, import.meta.url), 'utf8')) as Listed
const upstream = listed('resources-1.33.json')
const optional = listed('optional-1.33.json')
const snapshot = new CatalogSnapshot(1, servedBuiltins())

describe('resource lists', () => {
  it("have upstream's group versions, in its order", () => expect(snapshot.servedGroupVersions()).to.deep.equal(Object.keys(upstream)))

  for (const [groupVersion, resources] of Object.entries(upstream)) {
    const ours = apiResources(snapshot, groupVersion)
    const names = ours.map(({ name }) => name)
    it(`${groupVersion} has upstream's resources only, in its order`, () => expect(names).to.deep.equal(resources.map(({ name }) => name)))
    for (const resource of resources)
      it(`${groupVersion} ${resource.name} is the same as upstream's`, () =>
        expect(JSON.stringify(ours.find(({ name }) => name === resource.name))).to.equal(JSON.stringify(resource)))
  }

  const everything = new CatalogSnapshot(1, servedBuiltins({ 'api/all': true }, { ClusterTrustBundle: true, StorageVersionMigrator: true }))

  it('have no other group versions if everything is enabled', () =>
    expect(everything.servedGroupVersions()).to.have.members([...Object.keys(upstream), ...Object.keys(optional)]))

  for (const [groupVersion, resources] of Object.entries(optional)) {
    const ours = apiResources(everything, groupVersion).map(({ storageVersionHash: _, ...resource }) => resource)
    const names = ours.map(({ name }) => name)
    it(`${groupVersion} is disabled by default`, () => expect(apiResources(snapshot, groupVersion)).to.deep.equal([]))
    it(`${groupVersion} has upstream's resources only`, () => expect(names).to.have.members(resources.map(({ name }) => name)))
    for (const resource of resources)
      it(`${groupVersion} ${resource.name} is the same as upstream's`, () =>
        expect(JSON.stringify(ours.find(({ name }) => name === resource.name))).to.equal(JSON.stringify(resource)))
  }

  it('sort verbs, and have no storage hash for resources that are not stored', () => {
    const { storage: _, ...virtual } = widgetResource({ version: { verbs: ['list', 'create'] } })
    const [own, status] = apiResources(new CatalogSnapshot(1, [virtual]), 'example.io/v1')
    expect(own).to.deep.equal({
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      verbs: ['create', 'list'],
      shortNames: ['wd'],
    })
    expect(status).to.deep.equal({
      name: 'widgets/status',
      singularName: '',
      namespaced: true,
      kind: 'Widget',
      verbs: ['get', 'patch', 'update'],
    })
  })

  it('have the hash of the storage version', () => {
    const { hub } = widgetResource()
    expect(storageVersionHash({ ...hub, group: '', name: 'v1', kind: 'ConfigMap' })).to.equal('qFsyl6wFWjQ=')
    expect(storageVersionHash({ ...hub, group: 'apps', name: 'v1', kind: 'StatefulSet' })).to.equal('H+vl74LkKdo=')
  })

  it('group versions, preferred first', () => {
    const widgets = widgetResource()
    const older = { ...widgets.hub, name: 'v1beta1' }
    expect([...listGroups(new CatalogSnapshot(1, [{ ...widgets, versions: [widgets.hub, older] }]))]).to.deep.equal([
      [
        'example.io',
        [
          { name: 'v1', groupVersion: 'example.io/v1' },
          { name: 'v1beta1', groupVersion: 'example.io/v1beta1' },
        ],
      ],
    ])
  })
})
