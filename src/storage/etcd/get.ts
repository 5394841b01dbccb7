import type { KeyValue } from '../backend.ts'
import type { Key, Revision } from '../revision.ts'
import type { Connection } from './connection.ts'
import { decodeRange, encodeRange } from './messages.ts'

/** How one key is read. */
export interface GetOptions {
  readonly signal: AbortSignal
  /** Undefined: the newest revision. */
  readonly at?: Revision | undefined
  /** Default: as of any call that begins now. */
  readonly deadline?: number
}

/** One key, and the revision of the store. */
export async function getKey(connection: Connection, key: Key, options: GetOptions): Promise<{ item: KeyValue | undefined; revision: Revision }> {
  const { signal, at, deadline = connection.deadline() } = options
  const request = encodeRange({ start: key, ...(at !== undefined && { at }) })
  const { items, revision } = decodeRange(await connection.call('/etcdserverpb.KV/Range', request, { signal, deadline, repeatable: true }))
  return { item: items[0], revision }
}
