import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { nextTurn } from '../../lib/turn.ts'
import { type Key, key } from '../../storage/revision.ts'
import type { ReadAt, StoredObject } from '../../storage/storage.ts'
import type { ControlPlane } from '../control-plane.ts'
import type { StoredLocation } from '../stored-reader.ts'
import type { Branch } from './branches.ts'

/**
 * Effect of merging a branch on one object of the server. Objects are shown without metadata that every write changes.
 */
export interface BranchChange extends Pick<StoredLocation, 'path' | 'group' | 'version' | 'resource' | 'namespace' | 'name'> {
  /** Effect of a merge on the object of the server. */
  readonly change: 'created' | 'updated' | 'deleted'
  /** Whether the server has changed the object too since the branch was created, to a different result. */
  readonly conflict: boolean
  /** Object when the branch was created. Omitted if it did not exist. */
  readonly before?: JsonObject
  /** Object in the branch. Omitted if it does not exist. */
  readonly branch?: JsonObject
  /** Object on the server. Omitted if it does not exist. */
  readonly server?: JsonObject
}

/** A page of changes. `next` is the first key of the next page; undefined at the end. */
export interface ChangesPage {
  readonly items: readonly BranchChange[]
  readonly next: Key | undefined
}

/** Approximate size limit of a page, in bytes. */
const PAGE_BYTES = 4 << 20
/** Maximum number of objects in a page. */
const PAGE_ITEMS = 500

/**
 * Returns a page of changes, starting at a key: objects that the branch has written or deleted and that now differ from
 * the server's. Throws StorageError.
 */
export async function branchChangesPage(
  { fork, plane }: Branch,
  server: ControlPlane,
  start: Key,
  signal: AbortSignal,
): Promise<ChangesPage> {
  const { keys, next } = fork.changed(start)
  const items: BranchChange[] = []
  let bytes = 0
  for (const [i, each] of keys.entries()) {
    if (items.length >= PAGE_ITEMS || bytes >= PAGE_BYTES) return { items, next: keys[i] }
    const place = plane.stored.place(each)
    if (place === undefined) continue
    const read = async (from: ControlPlane, at: ReadAt): Promise<StoredObject | undefined> => {
      const there = from === plane ? place : from.stored.place(each)
      return there && from.stored.read(there, each, at, signal)
    }
    const [before, branch, here] = [
      await read(plane, { exactly: fork.forkedAt }),
      await read(plane, 'latest'),
      await read(server, 'latest'),
    ]
    for (const object of [before, branch, here]) bytes += object?.json().bytes.length ?? 0
    const change = branchChange(place, { before: contentOf(before), branch: contentOf(branch), server: contentOf(here) })
    if (change) items.push(change)
    await nextTurn()
  }
  return { items, next }
}

/** Start of the first page: before every key. */
export const FIRST = key('')

/** States of one object. Undefined for states in which it does not exist. */
interface Three {
  readonly before: JsonObject | undefined
  readonly branch: JsonObject | undefined
  readonly server: JsonObject | undefined
}

/** Change of one object between branch start, branch and server. Undefined if merging would change nothing. */
function branchChange(
  { path, group, version, resource, namespace, name }: StoredLocation,
  { before, branch, server }: Three,
): BranchChange | undefined {
  // No change if branch and server agree, or if the branch has reverted its change.
  if (isDeepStrictEqual(branch, server) || isDeepStrictEqual(branch, before)) return undefined
  return {
    path,
    group,
    version,
    resource,
    namespace,
    name,
    change: branch === undefined ? 'deleted' : before === undefined ? 'created' : 'updated',
    conflict: !isDeepStrictEqual(before, server),
    ...(before && { before }),
    ...(branch && { branch }),
    ...(server && { server }),
  }
}

/** Metadata that every write changes. Ignored in comparisons. */
const OF_WRITES: ReadonlySet<string> = new Set(['resourceVersion', 'generation', 'managedFields'])

/** Content of a stored object without metadata that every write changes. */
function contentOf(stored: StoredObject | undefined): JsonObject | undefined {
  if (stored === undefined) return undefined
  const object: Json = JSON.parse(stored.json().bytes.toString())
  if (!isJsonObject(object)) return undefined
  const { metadata } = object
  return isJsonObject(metadata)
    ? { ...object, metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !OF_WRITES.has(name))) }
    : object
}
