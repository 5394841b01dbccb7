import type { Stores } from './stores.ts'

/** Resources that a store of their own holds. */
export interface OtherStores {
  readonly resources: ReadonlySet<string>
  readonly stores: Stores
}

/** Several stores as one: each resource is in the first of `others` that names it, or else in `main`. What is added later is in `main`. */
export function routedStores(main: Stores, others: readonly OtherStores[]): Stores {
  const all = [main, ...others.map(({ stores }) => stores)]
  const of = (name: string): Stores => others.find(({ resources }) => resources.has(name))?.stores ?? main
  return {
    cachers: all.flatMap(({ cachers }) => cachers),
    storageFor: name => of(name).storageFor(name),
    add: resource => main.add(resource),
    remove: name => of(name).remove(name),
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
