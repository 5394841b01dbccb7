import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { CatalogSnapshot } from '../../../../src/catalog/catalog.ts'
import { apiResources, groupsOf, storageVersionHash } from '../../../../src/endpoints/discovery/resources.ts'
import { builtinResources } from '../../../../src/resources/builtin.ts'
import { testAuth } from '../../../support/auth.ts'
import { widgetResource } from '../../../support/test-registry.ts'

const upstream = JSON.parse(readFileSync(new URL('../../../fixtures/discovery/resources-1.33.json', import.meta.url), 'utf8')) as Record<
  string,
  { name: string }[]
>
const snapshot = new CatalogSnapshot(
  1,
  builtinResources({ eventTtlSeconds: 1, serviceCIDRs: ['10.0.0.0/24'], nodePortRange: { base: 30000, size: 10 }, auth: testAuth }),
)

describe('resource lists', () => {
  for (const [groupVersion, resources] of Object.entries(upstream)) {
    const ours = apiResources(snapshot, groupVersion)
    it(`${groupVersion} has upstream’s resources, in its order`, () => {
      const known = new Set(resources.map(({ name }) => name))
      expect(ours.map(({ name }) => name).filter(name => known.has(name))).to.deep.equal(resources.map(({ name }) => name))
    })
    for (const resource of resources)
      it(`${groupVersion} ${resource.name} is as upstream lists it`, () =>
        expect(JSON.stringify(ours.find(({ name }) => name === resource.name))).to.equal(JSON.stringify(resource)))
  }

  it('sort the verbs, and have no hash of what is not stored', () => {
    const { storage: _, ...virtual } = widgetResource({ version: { verbs: ['list', 'create'] } })
    const [own, status] = apiResources(new CatalogSnapshot(1, [virtual]), 'example.io/v1')
    expect(own).to.deep.equal({ name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs: ['create', 'list'], shortNames: ['wd'] })
    expect(status).to.deep.equal({ name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: ['get', 'patch', 'update'] })
  })

  it('hash the version in which objects are stored', () => {
    const { home } = widgetResource()
    expect(storageVersionHash({ ...home, group: '', name: 'v1', kind: 'ConfigMap' })).to.equal('qFsyl6wFWjQ=')
    expect(storageVersionHash({ ...home, group: 'apps', name: 'v1', kind: 'StatefulSet' })).to.equal('H+vl74LkKdo=')
  })

  it('group versions, preferred first', () => {
    const widgets = widgetResource()
    const older = { ...widgets.home, name: 'v1beta1' }
    expect([...groupsOf(new CatalogSnapshot(1, [{ ...widgets, versions: [widgets.home, older] }]))]).to.deep.equal([
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
