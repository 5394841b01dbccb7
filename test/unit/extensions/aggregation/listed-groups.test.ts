import { expect } from 'chai'
import { CatalogSnapshot } from '../../../../src/catalog/catalog.ts'
import type { ForeignVersion, ListedGroups } from '../../../../src/endpoints/aggregator.ts'
import { listGroups } from '../../../../src/endpoints/discovery/resources.ts'
import { discoveredGroups, listedGroups } from '../../../../src/extensions/aggregation/listed-groups.ts'
import type { Registration } from '../../../../src/extensions/aggregation/registration.ts'
import { BUILTIN_PRIORITIES } from '../../../../src/resources/apiregistration/priorities.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'
import { widgetResource } from '../../../support/test-registry.ts'

const snapshot = new CatalogSnapshot(1, [...servedBuiltins(), widgetResource()])
const backend = { namespace: 'ns', name: 'api', port: 443, insecureSkipTLSVerify: true }
const current: ForeignVersion = { resources: [{ resource: 'things' }], freshness: 'Current' }

type Row = readonly [groupVersion: string, groupPriority: number, versionPriority: number, kind?: 'local']

const registration = ([groupVersion, groupPriority, versionPriority, kind]: Row): Registration => {
  const [group = '', version = ''] = groupVersion.split('/')
  return {
    name: `${version}.${group}`,
    group,
    version,
    groupPriority,
    versionPriority,
    isAvailable: false,
    ...(kind !== 'local' && { backend }),
  }
}
const listing = (rows: readonly Row[], discovered: Readonly<Record<string, ForeignVersion>> = {}, at = snapshot) => ({
  snapshot: at,
  registrations: rows.map(registration),
  foreignVersion: (name: string) => discovered[name],
  isRemoved: (_name: string) => false,
})
const text = (groups: ListedGroups): string[] =>
  [...groups].map(([group, versions]) => `${group}: ${versions.map(({ name }) => name).join(' ')}`)
const nothing = new CatalogSnapshot(1, [])

describe('listedGroups', () => {
  // Upstream's tables: handler_apis_test.go and helpers_test.go of kube-aggregator.
  const cases: readonly { readonly name: string; readonly rows: readonly Row[]; readonly groups: readonly string[] }[] = [
    { name: 'nothing', rows: [], groups: [] },
    {
      name: 'groups by priority',
      rows: [
        ['foo/v1', 20, 10],
        ['bar/v1', 11, 11],
      ],
      groups: ['foo: v1', 'bar: v1'],
    },
    {
      name: 'versions by priority',
      rows: [
        ['foo/v1', 20, 10],
        ['foo/v2', 20, 15],
      ],
      groups: ['foo: v2 v1'],
    },
    {
      name: 'versions of one priority by their names',
      rows: [
        ['foo/v1', 20, 10],
        ['foo/v2beta1', 20, 10],
        ['foo/v10', 20, 10],
        ['foo/v2', 20, 10],
        ['foo/other', 20, 10],
      ],
      groups: ['foo: v10 v2 v1 v2beta1 other'],
    },
    {
      name: 'a group at the position of its first APIService, equal priorities by name',
      rows: [
        ['b/v1', 10, 1],
        ['a/v2', 10, 1],
        ['a/v1', 5, 1],
        ['c/v1', 7, 1],
      ],
      groups: ['b: v1', 'a: v2 v1', 'c: v1'],
    },
    { name: 'local ones that are not served', rows: [['foo/v1', 20, 10, 'local']], groups: ['foo: v1'] },
  ]
  for (const { name, rows, groups } of cases)
    it(`has ${name}`, () => expect(text(listedGroups(listing(rows, {}, nothing)))).to.deep.equal(groups))

  it('includes aggregated group versions among local ones', () => {
    const groups = text(
      listedGroups(
        listing([
          ['metrics.k8s.io/v1beta1', 100, 100],
          ['first.example.com/v1', 20_000, 1],
          ['apps/v1beta9', 17_800, 20],
        ]),
      ),
    )
    expect(groups.slice(0, 4)).to.deep.equal(['apiregistration.k8s.io: v1', 'first.example.com: v1', ': v1', 'apps: v1beta9 v1'])
    expect(groups.slice(-2)).to.deep.equal(['example.io: v1', 'metrics.k8s.io: v1beta1'])
  })

  it('omits built-in group versions whose APIService was deleted', () => {
    const lines = text(
      listedGroups({
        ...listing([['autoscaling/v1', 17_500, 10, 'local']]),
        isRemoved: name => ['v1.apps', 'v2.autoscaling'].includes(name),
      }),
    )
    expect(lines).to.include('autoscaling: v1')
    expect(lines.filter(line => line.startsWith('apps:'))).to.deep.equal([])
  })
})

describe('discoveredGroups', () => {
  it('equals the catalog without aggregated servers', () => {
    const catalog = new CatalogSnapshot(1, servedBuiltins(), '1.34')
    const known = new Set(Object.keys(BUILTIN_PRIORITIES).map(each => each.split('/')[0] ?? ''))
    const sorted = (lines: string[]) => lines.filter(line => known.has(line.split(':')[0] ?? '')).sort()
    expect(sorted(text(discoveredGroups(listing([], {}, catalog))))).to.deep.equal(sorted(text(listGroups(catalog))))
  })
  it('lists discovered group versions, and undiscovered ones as Stale', () => {
    const groups = discoveredGroups(
      listing(
        [
          ['a.example.com/v1', 1, 1],
          ['b.example.com/v1', 1, 1],
        ],
        { 'v1.a.example.com': current },
      ),
    )
    expect(groups.get('a.example.com')?.[0]?.foreign).to.equal(current)
    expect(groups.get('b.example.com')?.[0]?.foreign).to.deep.equal({ resources: [], freshness: 'Stale' })
  })
  it('prefers an aggregated server to the catalog, and ignores an APIService that is not aggregated', () => {
    const groups = discoveredGroups(
      listing(
        [
          ['example.io/v1', 1, 1],
          ['nobody.example.com/v1', 1, 1, 'local'],
        ],
        { 'v1.example.io': current },
      ),
    )
    expect(groups.get('example.io')).to.deep.equal([{ name: 'v1', groupVersion: 'example.io/v1', foreign: current }])
    expect(groups.has('nobody.example.com')).to.equal(false)
  })
})
