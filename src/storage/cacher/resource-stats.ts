import type { ResourceCounts } from './resource-counts.ts'

/** Statistics of one resource, read at a scrape. */
export interface ResourceStats {
  readonly name: string
  /** Prefix of the resource's keys. Ends with a slash. */
  readonly prefix: string
  /** The field that the resource is indexed by. */
  readonly index: string | undefined
  readonly loaded: boolean
  readonly objects: number
  readonly watchers: number
  readonly historyEvents: number
  readonly historyBytes: number
  /** Number of changes that the byte limit dropped before their time. */
  readonly historyForcedOut: number
  readonly counts: ResourceCounts
}
