import { expect } from 'chai'
import { CatalogSnapshot } from '../../../src/catalog/catalog.ts'
import { Discovery } from '../../../src/endpoints/discovery/discovery.ts'
import { RELEASES } from '../../../src/lifecycle/release.ts'
import { FakeExchange } from '../../support/exchange.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

interface Facts {
  readonly releases: Readonly<Record<string, { readonly groupVersions: Readonly<Record<string, Readonly<Record<string, Resource>>>> }>>
}
interface Resource {
  /** Not served unless it is asked for. */
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

describeReference('discovery of each release beside the reference', () => {
  const { releases } = referenceJson('releases/discovery.json') as Facts
  for (const release of RELEASES) {
    const snapshot = new CatalogSnapshot(1, servedBuiltins({}, {}, ['10.0.0.0/24'], release), release)
    const discovery = new Discovery(() => '192.0.2.1:6443')
    const facts = Object.entries(releases[release]?.groupVersions ?? {}).flatMap(([groupVersion, resources]) => {
      const served = Object.entries(resources).filter(([, { off }]) => !off)
      return served.length > 0 ? [[groupVersion, served] as const] : []
    })

    it(`lists the group versions of ${release} in its order`, () =>
      expect(snapshot.servedGroupVersions()).to.deep.equal(facts.map(([groupVersion]) => groupVersion)))

    for (const [groupVersion, served] of facts) {
      it(`lists what ${release} has in ${groupVersion}`, async () => {
        const exchange = new FakeExchange(groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`)
        await discovery.serve(exchange, snapshot)
        const { resources } = exchange.json as { resources: readonly Listed[] }
        const ours = resources.map(({ name, kind, namespaced, verbs, shortNames, categories, storageVersionHash }) => {
          return [name, kind, namespaced, set(verbs), set(shortNames), set(categories), storageVersionHash]
        })
        const theirs = served.map(([name, { k, ns, v, short, cat, h }]) => [name, k, ns === true, set(v), set(short), set(cat), h])
        expect(ours.sort()).to.deep.equal(theirs.sort())
      })
    }
  }
})
