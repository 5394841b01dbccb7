import type { ResourceCounts } from './resource-counts.ts'

/** The figures of one resource, read at a scrape. */
export interface ResourceStats {
  readonly name: string
  /** Prefix of the resource's keys. Ends with a slash. */
  readonly prefix: string
  /** The field that it is indexed by. */
  readonly index: string | undefined
  readonly loaded: boolean
  readonly objects: number
  readonly watchers: number
  readonly historyEvents: number
  readonly historyBytes: number
  /** Changes that the byte bound forced out before their time. */
  readonly historyForcedOut: number
  readonly counts: ResourceCounts
}
