import type { CatalogSnapshot } from '../catalog/catalog.ts'
import type { Steps } from '../lib/steps.ts'
import type { JsonObject } from '../meta/object.ts'
import type { Exchange } from './exchange.ts'
import type { ForeignSwagger } from './openapi/merge.ts'

/** What another server has reported of a group version. */
export interface ForeignVersion {
  /** APIResourceDiscovery of each of its resources (apidiscovery.k8s.io/v2). */
  readonly resources: readonly JsonObject[]
  /** `Stale`: it did not answer when it was last asked. */
  readonly freshness: 'Current' | 'Stale'
}

/** A group version as discovery lists it. */
export interface ListedVersion {
  /** `v1` */
  readonly name: string
  /** `apps/v1` */
  readonly groupVersion: string
  /** Absent: this server serves it. */
  readonly foreign?: ForeignVersion
}

/** Versions by group, groups and versions in the order in which they are listed; the core group under the empty name. */
export type ListedGroups = ReadonlyMap<string, readonly ListedVersion[]>

/** A document of `/openapi/v3` that another server has. */
export interface ForeignDocument {
  /** `apis/GROUP/VERSION` */
  readonly path: string
  readonly url: string
}

/** Documents of OpenAPI that other servers have. */
export interface ForeignOpenApi {
  /** Counts changes of what `v2` and `v3` return. */
  readonly generation: number
  /** Of `/openapi/v2`, those that come first when names are given before others. */
  v2(): readonly ForeignSwagger[]
  /** Those of servers without `/openapi/v3`, by the path that they would have there. */
  v2Alone(): ReadonlyMap<string, ForeignSwagger>
  /** Where the documents of `/openapi/v3` are, sorted by path, in steps. */
  v3(): Steps<readonly ForeignDocument[]>
  /** Passes on a request for a document of `/openapi/v3`; undefined: nobody has it. */
  serveV3(exchange: Exchange, path: string): Promise<void> | undefined
}

/** Knows which group versions other servers serve (APIServices), and passes requests on to them. */
export interface Aggregator {
  /** Counts changes of what `groups` and `discovered` return. */
  readonly generation: number
  readonly openApi: ForeignOpenApi
  /** Passes on a request of another server's group version; undefined: it is this server's. */
  serve(exchange: Exchange): Promise<void> | undefined
  /** Whether a request with such a path is passed on. */
  passesOn(path: string): boolean
  /** What `/apis` lists, by APIServices; undefined: they say nothing but what the catalog does. */
  groups(snapshot: CatalogSnapshot): ListedGroups | undefined
  /** What aggregated discovery lists; undefined as with `groups`. */
  discovered(snapshot: CatalogSnapshot): ListedGroups | undefined
}
