import { type Backend, BackendError, type KeyValue, type RangePage, type RangeQuery } from './backend.ts'
import { keyAfter } from './key-range.ts'
import type { Key } from './revision.ts'

/** Keys of a first page. Later ones have about so many bytes of keys and values, or so many keys. */
const FIRST_PAGE = 500
const PAGE_BYTES = 6 << 20
/** A store that counts what is left of the range at every page, asked or not, is read in fewer pages. */
const COUNTED_PAGE_BYTES = 16 << 20
const LONGEST_PAGE = 20_000
/** Keys of a page whose items are visited. It takes no memory, and the caller has the last word after each. */
const VISITED_PAGE = 4000

/** A page that does not come in time is made no shorter than this: etcd counts what is left of the range for each page, which takes longer than to read these. */
const SHORTEST_PAGE = 2000
/** Times that so short a page is asked for. The pages before are of the same revision and stay valid, so that a busy store is read to its end. */
const SHORTEST_ATTEMPTS = 5

/** A range that is read in pages. */
export type PagedQuery = Pick<RangeQuery, 'start' | 'end' | 'at' | 'keysOnly' | 'visit'>

/**
 * Reads a range in pages of about the same size in bytes, all at the revision of the first, or at the given one. Together they have each key once, in order. The next page is requested before one is returned, so that the
 * store makes it while that is taken in: at most two are held. If a page does not come in time, or is longer than the store's client accepts, it is requested again, and it and later ones are made shorter. A store that calls `visit` returns pages without items. Throws BackendError.
 */
export async function* rangePages(backend: Pick<Backend, 'range'>, query: PagedQuery, signal: AbortSignal): AsyncGenerator<RangePage, void, undefined> {
  let { at, start } = query
  let longest = LONGEST_PAGE
  /** The last key that the store has visited. */
  let visited: Key | undefined
  const { visit } = query
  const visiting = visit && {
    visit(item: KeyValue): void {
      visited = item.key
      visit(item)
    },
  }
  const read = async (limit: number): Promise<RangePage> => {
    let attempts = 0
    for (let keys = Math.min(limit, longest); ; keys = Math.min(limit, longest)) {
      try {
        return await backend.range({ ...query, ...visiting, start, ...(at !== undefined && { at }), limit: keys }, signal)
      } catch (error) {
        if (!(error instanceof BackendError) || visited !== undefined || signal.aborted) throw error
        if (error.code === 'too large' && keys > 1) longest = Math.floor(keys / 4) || 1
        else if (error.code !== 'timeout' || (keys <= SHORTEST_PAGE && (at === undefined || ++attempts === SHORTEST_ATTEMPTS))) throw error
        else longest = Math.max(SHORTEST_PAGE, Math.floor(keys / 4))
      }
    }
  }
  let next: Promise<RangePage> | undefined = read(FIRST_PAGE)
  while (next !== undefined) {
    const page: RangePage = await next
    at ??= page.revision
    next = undefined
    if (page.more) {
      start = startAfter(page.items.at(-1)?.key ?? visited, start)
      // A visit is work of the caller's: it goes on when that asks for more.
      if (visited === undefined) next = read(nextLimit(page))
    }
    // A failure is thrown when its page is awaited. A caller that ends earlier never awaits it.
    next?.catch(() => {})
    yield page
    if (page.more) next ??= read(VISITED_PAGE)
  }
}

/** Start key of the page after one that began at `start` and ended with `last`. Throws if the page makes no progress: otherwise reading such a server would never end. */
function startAfter(last: Key | undefined, start: Key): Key {
  if (last === undefined || Buffer.compare(Buffer.from(last), Buffer.from(start)) < 0)
    throw new BackendError('corrupt', 'the answers of the store do not go on: a page has no key behind those before it')
  return keyAfter(last)
}

/** Keys of the next page, if they are as long as those of this one. */
function nextLimit({ items, count }: RangePage): number {
  let bytes = 0
  for (const { key, value } of items) bytes += key.length + value.length
  const wanted = count === undefined ? PAGE_BYTES : COUNTED_PAGE_BYTES
  return Math.min(LONGEST_PAGE, Math.max(FIRST_PAGE, Math.floor((wanted * items.length) / bytes)))
}
