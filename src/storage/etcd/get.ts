import type { KeyValue } from '../backend.ts'
import type { Key, Revision } from '../revision.ts'
import type { EtcdConnection } from './connection.ts'
import { decodeRange, encodeRange } from './messages.ts'

/** Options of a read of one key. */
export interface GetOptions {
  readonly signal: AbortSignal
  /** Optional. Revision to read at. Default: the newest. */
  readonly at?: Revision | undefined
  /** Optional. Default: that of any call that begins now. */
  readonly deadline?: number
}

/** Reads one key, and the store's newest revision. Throws BackendError. */
export async function getKey(
  connection: EtcdConnection,
  key: Key,
  options: GetOptions,
): Promise<{ item: KeyValue | undefined; revision: Revision }> {
  const { signal, at, deadline = connection.deadline() } = options
  const request = encodeRange({ start: key, ...(at !== undefined && { at }) })
  const { items, revision } = decodeRange(await connection.call('/etcdserverpb.KV/Range', request, { signal, deadline, repeatable: true }))
  return { item: items[0], revision }
}
