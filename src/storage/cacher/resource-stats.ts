import type { ResourceCounts } from './resource-counts.ts'

/** Statistics of one resource, read at a scrape. */
export interface ResourceStats {
  /** Resource and group: `deployments.apps`. */
  readonly name: string
  /** Prefix of the resource's keys. Ends with a slash. */
  readonly prefix: string
  /** The field that the resource is indexed by. */
  readonly index: string | undefined
  /** Whether the cache has a state. It has none before its first load. */
  readonly loaded: boolean
  /** Number of cached objects. */
  readonly objects: number
  /** Number of open watches. */
  readonly watchers: number
  /** Changes that watches can resume from, and the bytes that they take. */
  readonly historyEvents: number
  readonly historyBytes: number
  /** Number of changes that the byte limit dropped before their time. */
  readonly historyForcedOut: number
  readonly counts: ResourceCounts
}
