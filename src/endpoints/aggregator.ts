import type { JsonObject } from '../api/meta/object.ts'
import type { CatalogSnapshot } from '../catalog/catalog.ts'
import type { Steps } from '../lib/steps.ts'
import type { Exchange } from './exchange.ts'
import type { ForeignSwagger } from './openapi/merge.ts'

/** A group version of an aggregated server, as its discovery describes it. */
export interface ForeignVersion {
  /** APIResourceDiscovery of each resource (apidiscovery.k8s.io/v2). */
  readonly resources: readonly JsonObject[]
  /** `Stale`: the server did not respond to the last discovery request. */
  readonly freshness: 'Current' | 'Stale'
}

/** A group version in discovery. */
export interface ListedVersion {
  /** `v1` */
  readonly name: string
  /** `apps/v1` */
  readonly groupVersion: string
  /** Set if an aggregated server serves the version. Omitted if this server does. */
  readonly foreign?: ForeignVersion
}

/** Versions by group, groups and versions in discovery order. The core group has the empty name. */
export type ListedGroups = ReadonlyMap<string, readonly ListedVersion[]>

/** A document of `/openapi/v3` of an aggregated server. */
export interface ForeignDocument {
  /** `apis/GROUP/VERSION` */
  readonly path: string
  readonly url: string
}

/** OpenAPI documents of aggregated servers. */
export interface ForeignOpenApi {
  /** Incremented when the result of `v2` or `v3` changes. */
  readonly generation: number
  /** Documents of `/openapi/v2`, in order of precedence for conflicting names. */
  v2(): readonly ForeignSwagger[]
  /** Documents of servers without `/openapi/v3`, by the path that they would have there. */
  v2Alone(): ReadonlyMap<string, ForeignSwagger>
  /** Locations of the documents of `/openapi/v3`, sorted by path, in steps. */
  v3(): Steps<readonly ForeignDocument[]>
  /** Proxies a request for a document of `/openapi/v3`. Undefined if no aggregated server has it. */
  serveV3(exchange: Exchange, path: string): Promise<void> | undefined
}

/** The aggregation layer: the group versions of aggregated servers (APIServices), to which it proxies requests. */
export interface Aggregator {
  /** Incremented when the result of `groups` or `discovered` changes. */
  readonly generation: number
  readonly openApi: ForeignOpenApi
  /** Proxies a request for a group version of an aggregated server. Undefined if this server serves it. */
  serve(exchange: Exchange): Promise<void> | undefined
  /** Whether requests for a path are proxied. */
  passesOn(path: string): boolean
  /** Groups of `/apis` by APIServices. Undefined if they list nothing besides the catalog. */
  groups(snapshot: CatalogSnapshot): ListedGroups | undefined
  /** Groups of aggregated discovery. Undefined as for `groups`. */
  discovered(snapshot: CatalogSnapshot): ListedGroups | undefined
}
