import type { Catalog, CatalogSnapshot, ServedResource } from './catalog.ts'

/** A version of a kind that is no longer served. */
export interface GoneVersion {
  readonly group: string
  /** Name of the version: `v1`. */
  readonly version: string
  readonly kind: string
  /** Plural name. */
  readonly resource: string
  /** Whether no version of the resource is left. */
  readonly isLast: boolean
}

/** Finds the versions that a change of the catalog removes, once for all followers. */
export class GoneVersions {
  readonly #followers: ((version: GoneVersion) => void)[] = []

  constructor(catalog: Catalog) {
    let before = catalog.snapshot()
    catalog.subscribe(after => {
      for (const version of goneVersions(before, after)) for (const gone of this.#followers) gone(version)
      before = after
    })
  }

  /** Calls `gone` for each version that a later change removes. */
  readonly follow = (gone: (version: GoneVersion) => void): void => {
    this.#followers.push(gone)
  }
}

const goneVersions = (before: CatalogSnapshot, after: CatalogSnapshot): GoneVersion[] =>
  before
    .servedGroupVersions()
    .flatMap(groupVersion => before.resourcesOf(groupVersion))
    .filter(({ version }) => after.find(version.group, version.name, version.names.plural)?.version.kind !== version.kind)
    .map(({ version }: ServedResource) => ({
      group: version.group,
      version: version.name,
      kind: version.kind,
      resource: version.names.plural,
      isLast: after.definition(version.group, version.names.plural) === undefined,
    }))
