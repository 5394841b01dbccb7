import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { KeyValue } from '../backend.ts'
import { MOST_CORRUPT, readFaultOf } from '../corrupt.ts'
import { keyAfter, prefixEnd } from '../key-range.ts'
import type { ListCounts } from '../list-metrics.ts'
import type { PageCounts } from '../page-counts.ts'
import type { ReadFault } from '../read-fault.ts'
import type { Key, Revision } from '../revision.ts'
import type { ListQuery, Page, StoredObject } from '../storage.ts'
import { Stored } from '../stored-object.ts'
import type { StoreSource } from './source.ts'

/** Number of objects per request to the store for a list without a limit. */
const WHOLE_PAGE = 1000
/** Number of objects up to which pages grow if a predicate filters, as in kube-apiserver. */
const LARGEST_PAGE = 10_000

/** Revision and counters of a list. */
export interface ListOptions {
  /** Revision to read at. The newest one if undefined. */
  readonly exactly: Revision | undefined
  /** Counters that the list increments. */
  readonly counts: ListCounts
  /** Cached counts of the objects after earlier pages, so that a list in chunks is counted once. */
  readonly pages: PageCounts
}

/**
 * Reads a page: until the limit is filled or the range has ended, all at the revision of the first request. An
 * unreadable object fails the list according to the reports. A prefix without a slash is a single key.
 */
export async function listPage(
  source: StoreSource,
  prefix: Key,
  query: ListQuery,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Page> {
  const { backend, codec } = source
  const { counts, pages } = options
  const begun = performance.now()
  const { predicate, limit } = query
  const end = prefix.endsWith('/') ? prefixEnd(prefix) : keyAfter(prefix)
  const items: StoredObject[] = []
  const reader = listReader(source)
  const finish = (page: Page): Page => {
    reader.throwFaults()
    counts.lists++
    counts.took(performance.now() - begun, false)
    counts.returned += page.items.length
    return page
  }
  let start = query.startKey ?? prefix
  let at = options.exactly
  let pageSize = limit > 0 ? limit : WHOLE_PAGE
  for (;;) {
    // With a predicate, the number of further matches is unknown.
    const wantsCount = limit > 0 && predicate.everything
    const known = wantsCount && at !== undefined ? pages.from(at, prefix, start) : undefined
    const counted = wantsCount && known === undefined
    const page = await backend.range({ start, end, limit: pageSize, ...(at !== undefined && { at }), ...(counted && { counted }) }, signal)
    at ??= page.revision
    const count = wantsCount ? (known ?? page.count) : undefined
    counts.fetched += page.items.length
    for (const [i, item] of page.items.entries()) {
      const ready = codec.prepare(item.value, item.key, item.modRevision)
      if (ready) await ready
      else if (turnIsSpent()) await nextTurn()
      const object = reader.read(item)
      if (object === undefined) continue
      counts.evaluated++
      if (!predicate.everything && !predicate.matches(object.attributes())) continue
      items.push(object)
      if (limit === 0 || items.length < limit) continue
      if (i + 1 === page.items.length && !page.more) break
      const remaining = count === undefined ? undefined : count - (i + 1)
      const nextKey = keyAfter(object.key)
      if (remaining !== undefined) pages.remember(at, prefix, nextKey, remaining)
      return finish({ items, revision: at, nextKey, remaining })
    }
    const last = page.items.at(-1)
    if (!page.more || last === undefined) return finish({ items, revision: at, nextKey: undefined, remaining: undefined })
    start = keyAfter(last.key)
    if (limit > 0) pageSize = Math.min(2 * pageSize, LARGEST_PAGE)
    await nextTurn()
  }
}

/** Decodes the objects of one list. */
interface ListReader {
  /** Decodes an object. Undefined if it cannot be read and the list continues, to report all faults. */
  read(item: KeyValue): Stored | undefined
  /** Throws a StorageError if objects could not be read. */
  throwFaults(): void
}

function listReader({ codec, reports }: StoreSource): ListReader {
  const faults: ReadFault[] = []
  return {
    read({ key, modRevision, value }) {
      try {
        return Stored.read(key, modRevision, codec, value)
      } catch (error) {
        const fault = readFaultOf(error)
        if (fault === undefined) throw error
        if (!reports.listsAll) throw reports.list([fault], false)
        if (isFilled(faults) && faults.length === MOST_CORRUPT) throw reports.list(faults, true)
        faults.push(fault)
        return undefined
      }
    },
    throwFaults() {
      if (isFilled(faults)) throw reports.list(faults, false)
    },
  }
}

const isFilled = (faults: readonly ReadFault[]): faults is readonly [ReadFault, ...ReadFault[]] => faults.length > 0
