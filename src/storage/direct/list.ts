import { nextTurn } from '../../lib/turn.ts'
import type { Backend } from '../backend.ts'
import { keyAfter, prefixEnd } from '../key-range.ts'
import type { Key, Revision } from '../revision.ts'
import type { ListQuery, Page, ResourceCodec, StoredObject } from '../storage.ts'
import { Stored } from '../stored-object.ts'

/** Objects asked of the store at a time where all are wanted. */
const wholePage = 1000
/** Where a predicate filters, pages grow up to this, as kube-apiserver's do. */
const largestPage = 10_000

/** Reads until the limit is filled or the range has ended, all at the revision of the first page. */
export async function listPage(
  backend: Backend,
  codec: ResourceCodec,
  prefix: Key,
  query: ListQuery,
  exactly: Revision | undefined,
  signal: AbortSignal,
): Promise<Page> {
  const { predicate, limit } = query
  const end = prefixEnd(prefix)
  const items: StoredObject[] = []
  let start = query.startKey ?? prefix
  let at = exactly
  let pageSize = limit > 0 ? limit : wholePage
  for (;;) {
    const page = await backend.range({ start, end, limit: pageSize, ...(at !== undefined && { at }) }, signal)
    at ??= page.revision
    for (let i = 0; i < page.items.length; i++) {
      const { key, modRevision, value } = page.items[i]!
      const object = Stored.read(key, modRevision, codec, value)
      if (!predicate.everything && !predicate.matches(object.attributes())) continue
      items.push(object)
      if (limit === 0 || items.length < limit) continue
      if (i + 1 === page.items.length && !page.more) break
      const left = page.count - (i + 1)
      return { items, revision: at, nextKey: keyAfter(key), remaining: predicate.everything ? left : undefined }
    }
    const last = page.items.at(-1)
    if (!page.more || last === undefined) return { items, revision: at, nextKey: undefined, remaining: undefined }
    start = keyAfter(last.key)
    if (limit > 0) pageSize = Math.min(2 * pageSize, largestPage)
    await nextTurn()
  }
}
