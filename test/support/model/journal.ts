import type { Backend } from '../../../src/storage/backend.ts'
import { keyspaceEnd, keyspaceStart } from '../../../src/storage/key-range.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { AnyObject } from '../any-object.ts'
import type { StoreHistory } from './store-history.ts'

/**
 * Records the changes of a store from its next revision on, independently of all servers, for stores that are not under
 * test.
 */
export function keepJournal(backend: Backend, from: number, prefix: string, history: StoreHistory): { close(): void } {
  const stop = new AbortController()
  const follow = async (): Promise<void> => {
    for await (const { events, revision: reached } of backend.watch(
      { start: keyspaceStart, end: keyspaceEnd, from: revision(from) },
      stop.signal,
    )) {
      for (const { key, modRevision, value } of events) {
        if (key.startsWith(prefix)) history.add(key.slice(prefix.length), modRevision, value && storedObject(value))
      }
      history.revision = Math.max(history.revision, reached)
    }
  }
  void follow()
  return { close: () => stop.abort() }
}

/** Parses an object that is stored as JSON. */
export const storedObject = (value: Buffer): AnyObject => JSON.parse(value.toString()) as AnyObject
