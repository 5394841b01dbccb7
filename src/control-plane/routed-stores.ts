import type { Stores } from './stores.ts'

/** A store that holds only these resources. */
export interface OtherStores {
  readonly resources: ReadonlySet<string>
  readonly stores: Stores
}

/**
 * Combines several stores. Each resource is in the first of `others` that lists it, otherwise in `main`. Resources
 * added later are in `main`.
 */
export function routedStores(main: Stores, others: readonly OtherStores[]): Stores {
  const all = [main, ...others.map(({ stores }) => stores)]
  const of = (name: string): Stores => others.find(({ resources }) => resources.has(name))?.stores ?? main
  return {
    cachers: all.flatMap(({ cachers }) => cachers),
    storageFor: name => of(name).storageFor(name),
    add: resource => main.add(resource),
    remove: (name, lingerMs) => of(name).remove(name, lingerMs),
    ready: () => all.every(stores => stores.ready()),
    loading: () => all.flatMap(stores => stores.loading()),
    async synced(signal) {
      await Promise.all(all.map(stores => stores.synced(signal)))
    },
    counts: () => all.flatMap(stores => stores.counts()),
    count: name => of(name).count(name),
    averageBytes: name => of(name).averageBytes(name),
    listCounts: () => all.flatMap(stores => stores.listCounts()),
    kept: () => main.kept(),
    following: name => (name === undefined ? main : of(name)).following(),
    forget: upTo => main.forget(upTo),
    async close() {
      await Promise.all(all.map(stores => stores.close()))
    },
  }
}
