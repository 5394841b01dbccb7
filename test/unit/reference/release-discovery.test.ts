import { expect } from 'chai'
import { CatalogSnapshot } from '../../../src/catalog/catalog.ts'
import { Discovery } from '../../../src/endpoints/discovery/discovery.ts'
import { gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import { PREVIEWS, RELEASES } from '../../../src/lifecycle/release.ts'
import { FakeExchange } from '../../support/exchange.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

interface Facts {
  readonly releases: Readonly<Record<string, { readonly groupVersions: Readonly<Record<string, Readonly<Record<string, Resource>>>> }>>
}
interface Resource {
  /** Whether the resource is off by default. */
  readonly off?: boolean
  readonly k: string
  readonly v: readonly string[]
  readonly ns?: boolean
  readonly short?: readonly string[]
  readonly cat?: readonly string[]
  readonly h?: string
  readonly gvk?: readonly [group: string, version: string]
}
interface Listed {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}

const set = (names: readonly string[] | undefined): string[] => [...(names ?? [])].sort()

type Row = readonly unknown[]

/** Returns the resources that a server lists in a group version, sorted. */
async function listed(snapshot: CatalogSnapshot, groupVersion: string): Promise<Row[]> {
  const exchange = new FakeExchange(groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`)
  await new Discovery(() => '192.0.2.1:6443').serve(exchange, snapshot)
  const { resources } = exchange.json as { resources: readonly Listed[] }
  return resources
    .map(({ name, kind, namespaced, verbs, shortNames, categories, storageVersionHash }): Row => {
      return [name, kind, namespaced, set(verbs), set(shortNames), set(categories), storageVersionHash]
    })
    .sort()
}

const stated = (resources: readonly (readonly [string, Resource])[]): Row[] =>
  resources.map(([name, { k, ns, v, short, cat, h }]): Row => [name, k, ns === true, set(v), set(short), set(cat), h]).sort()

/** Gates without which resources are not served, where the release has them. */
const ON = [
  'APISelfSubjectReview',
  'ClusterTrustBundle',
  'CompositePodGroup',
  'EvictionRequestAPI',
  'GenericWorkload',
  'PodCertificateRequest',
  'StorageVersionMigrator',
  'TopologyAwareWorkloadScheduling',
]

describeReference('discovery of each release beside the reference', () => {
  const { releases } = referenceJson('releases/discovery.json') as Facts
  for (const release of RELEASES.filter(each => PREVIEWS[each] === undefined)) {
    const snapshot = new CatalogSnapshot(1, servedBuiltins({}, {}, ['10.0.0.0/24'], release), release)
    const facts = Object.entries(releases[release]?.groupVersions ?? {}).flatMap(([groupVersion, resources]) => {
      const served = Object.entries(resources).filter(([, { off }]) => !off)
      return served.length > 0 ? [[groupVersion, served] as const] : []
    })

    it(`lists the group versions of ${release} in its order`, () =>
      expect(snapshot.servedGroupVersions()).to.deep.equal(facts.map(([groupVersion]) => groupVersion)))

    for (const [groupVersion, served] of facts)
      it(`lists the resources of ${release} in ${groupVersion}`, async () =>
        expect(await listed(snapshot, groupVersion)).to.deep.equal(stated(served)))
  }

  for (const release of RELEASES)
    it(`lists the optional resources of ${release}`, async () => {
      const known = gatesOf(release)
      const gates = Object.fromEntries(
        [...ON, ...(release === '1.32' ? ['InPlacePodVerticalScaling'] : [])]
          .filter(gate => known[gate] && !known[gate].preset)
          .map(gate => [gate, true]),
      )
      const snapshot = new CatalogSnapshot(1, servedBuiltins({ 'api/all': true }, gates, ['10.0.0.0/24'], release), release)
      for (const [groupVersion, resources] of Object.entries(releases[release]?.groupVersions ?? {})) {
        expect(await listed(snapshot, groupVersion), groupVersion).to.deep.equal(stated(Object.entries(resources)))
      }
    })
})
