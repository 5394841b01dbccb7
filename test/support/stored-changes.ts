import { decodeRecord, PUT_RECORD, readRevision } from '../../src/storage/embedded/layout.ts'
import type { MemoryTables } from '../../src/storage/embedded/memory-tables.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { AnyObject } from './any-object.ts'

/** A change of the store of a control plane. */
export interface StoredChange {
  readonly revision: number
  readonly key: string
  /** Undefined if it is a deletion. */
  readonly object: AnyObject | undefined
}

/** Returns the changes of the store after a revision, in order. */
export function storedChanges(plane: ControlPlane, after: number): StoredChange[] {
  const { log } = (plane as unknown as { tables(): MemoryTables }).tables()
  const changes: StoredChange[] = []
  for (const { key: id, value: bytes } of log.getRange({})) {
    const revision = readRevision(id, 0)
    if (revision <= after) continue
    const { kind, key, value } = decodeRecord(bytes)
    changes.push({ revision, key: key.toString(), object: kind === PUT_RECORD ? JSON.parse(value.toString()) : undefined })
  }
  return changes
}
