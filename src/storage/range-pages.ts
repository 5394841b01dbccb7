import { type Backend, BackendError, type RangePage, type RangeQuery, type VisitedItem } from './backend.ts'
import { keyAfter } from './key-range.ts'
import { type KeyRange, PagesAhead } from './pages-ahead.ts'
import type { Key } from './revision.ts'

/** Number of keys in the first page. Later pages are sized by bytes of keys and values, up to a number of keys. */
const FIRST_PAGE = 500
const PAGE_BYTES = 6 << 20
/**
 * Bytes of a page if the store counts the rest of the range for every page anyway. Fewer pages then mean fewer counts.
 */
const COUNTED_PAGE_BYTES = 16 << 20
const LONGEST_PAGE = 20_000
/**
 * Number of keys in a page whose items are visited. Visited items take no memory, and the caller checks for
 * cancellation after each page.
 */
const VISITED_PAGE = 4000

/**
 * Smallest page after a timeout, in keys. etcd counts the rest of the range for each page, which takes longer than
 * reading this many keys.
 */
const SHORTEST_PAGE = 2000
/**
 * Attempts at the smallest page. Earlier pages stay valid because all are of one revision, so a busy store is still
 * read to the end.
 */
const SHORTEST_ATTEMPTS = 5

/** A range to read in pages. */
export interface PagedQuery extends Pick<RangeQuery, 'start' | 'end' | 'at' | 'keysOnly' | 'visit'> {
  /** Optional. Called if the store streams what follows the first page. */
  readonly onStream?: () => void
}

/** Store that ranges are read from. */
export type PagedBackend = Pick<Backend, 'range' | 'rangeStream' | 'pageReader'>

/** A page that has been read. */
interface ReadPage {
  readonly page: RangePage
  /** Number of keys. */
  readonly length: number
  readonly last: Key | undefined
  /** Number of keys for the next page. */
  readonly nextLimit: number
  /** Whether parts of the range may be requested that end at any key. */
  readonly endsAnywhere: boolean
  /** Optional. Visits the items, which have not been decoded. */
  visitItems?(): Promise<void>
}

/** Source of the pages of one range. */
interface PageSource {
  /** Whether the store visits the items of a page while it reads them. A page that fails cannot be requested again. */
  readonly isVisiting: boolean
  read(part: Pick<RangeQuery, 'start' | 'end' | 'at' | 'limit'>): Promise<ReadPage>
}

/**
 * Reads a range in pages of about the same size in bytes, all at the revision of the first page, or at the given one.
 * Together they contain each key once, in order. The next page is requested before one is yielded, so that the store
 * prepares it while the caller processes that one: at most two are in memory, or three if the store counts the rest of
 * the range for each page (`PagesAhead`). If a page times out, or is larger than the client of the store accepts, it is
 * requested again, and it and later ones are made smaller. If `visit` is given, it is called with each item before its
 * page is yielded, and pages have no items. Pages of a store that can do neither have items instead, and so have those
 * of a stream. After the first page, the rest is streamed in one call if the store can stream. Throws BackendError.
 */
export async function* rangePages(
  backend: PagedBackend,
  query: PagedQuery,
  signal: AbortSignal,
): AsyncGenerator<RangePage, void, undefined> {
  let { at } = query
  let longest = LONGEST_PAGE
  let mayStream = !query.keysOnly
  const source = pageSource(backend, query, signal)
  const read = async ({ start, end }: KeyRange, limit: number): Promise<ReadPage> => {
    let attempts = 0
    for (let keys = Math.min(limit, longest); ; keys = Math.min(limit, longest)) {
      try {
        return await source.read({ start, end, ...(at !== undefined && { at }), limit: keys })
      } catch (error) {
        if (!(error instanceof BackendError) || source.isVisiting || signal.aborted) throw error
        if (error.code === 'too large' && keys > 1) longest = Math.floor(keys / 4) || 1
        else if (error.code !== 'timeout' || (keys <= SHORTEST_PAGE && (at === undefined || ++attempts === SHORTEST_ATTEMPTS))) throw error
        else longest = Math.max(SHORTEST_PAGE, Math.floor(keys / 4))
      }
    }
  }
  const ahead = new PagesAhead(query, read)
  let limit = FIRST_PAGE
  ahead.request(limit, false)
  for (let part = ahead.next(); part !== undefined; part = ahead.next()) {
    const { page, length, last, nextLimit, endsAnywhere, visitItems } = await part.page
    at ??= page.revision
    const rest = page.more ? startAfter(last, part.start) : undefined
    ahead.received(part, rest, { length, count: page.count })
    // The sizes of few objects say little about those of the next.
    if (length >= FIRST_PAGE) limit = nextLimit
    let stream: AsyncIterable<RangePage> | undefined
    if (rest !== undefined && mayStream && !source.isVisiting) stream = backend.rangeStream?.({ start: rest, end: query.end, at }, signal)
    mayStream = false
    if (stream) query.onStream?.()
    // Visiting is work of the caller, so the next page is read only when the caller continues.
    else if (!source.isVisiting) ahead.request(limit, endsAnywhere && page.count !== undefined)
    await visitItems?.()
    yield { items: page.items, revision: page.revision, more: ahead.hasMore }
    if (stream) {
      const start: Key | undefined = yield* streamedPages(stream, rest ?? part.start, signal)
      if (start === undefined) return
      ahead.continueAt(start)
      ahead.request(limit, false)
    } else if (source.isVisiting) ahead.request(VISITED_PAGE, false)
  }
}

/**
 * Yields the pages of a stream. Returns the key from which the range must be read on if the stream fails, or undefined
 * at its end.
 */
async function* streamedPages(
  stream: AsyncIterable<RangePage>,
  from: Key,
  signal: AbortSignal,
): AsyncGenerator<RangePage, Key | undefined, undefined> {
  let start = from
  try {
    for await (const page of stream) {
      if (page.items.length > 0) start = startAfter(page.items.at(-1)?.key, start)
      yield page
    }
    return undefined
  } catch (error) {
    if (!(error instanceof BackendError) || error.code === 'corrupt' || signal.aborted) throw error
    return start
  }
}

/**
 * Returns the start key of the page after one that began at `start` and ended with `last`. Throws if the page makes no
 * progress: otherwise reading from such a server would never end.
 */
function startAfter(last: Key | undefined, start: Key): Key {
  if (last === undefined || Buffer.compare(Buffer.from(last), Buffer.from(start)) < 0)
    throw new BackendError('corrupt', 'the store makes no progress: a page has no key after those of earlier pages')
  return keyAfter(last)
}

/**
 * Returns the source of the pages: of pages that are decoded here as they are visited if the store has a reader of
 * them, or else of those that the store decodes.
 */
function pageSource(backend: PagedBackend, { keysOnly, visit }: PagedQuery, signal: AbortSignal): PageSource {
  const reader = visit && backend.pageReader?.()
  if (reader)
    return {
      isVisiting: false,
      async read(part) {
        const { length, bytes, last, endsAnywhere, visit: visitItems, ...page } = await reader(part, signal)
        return {
          page: { ...page, items: [] },
          length,
          last,
          nextLimit: limitAfter(length, bytes, page.count),
          endsAnywhere,
          visitItems: () => visitItems(visit),
        }
      },
    }
  let visited: Key | undefined
  const visiting = visit && {
    visit(item: VisitedItem): void {
      visited = item.key
      visit(item)
    },
  }
  return {
    get isVisiting() {
      return visited !== undefined
    },
    async read(part) {
      const page = await backend.range({ ...part, ...(keysOnly && { keysOnly }), ...visiting }, signal)
      let bytes = 0
      for (const { key, value } of page.items) bytes += key.length + value.length
      const { length } = page.items
      return {
        page,
        length,
        last: page.items.at(-1)?.key ?? visited,
        nextLimit: limitAfter(length, bytes, page.count),
        endsAnywhere: false,
      }
    },
  }
}

/** Returns the number of keys for the next page, assuming that they are as long as those of this one. */
function limitAfter(keys: number, bytes: number, count: number | undefined): number {
  const wanted = count === undefined ? PAGE_BYTES : COUNTED_PAGE_BYTES
  return Math.min(LONGEST_PAGE, Math.max(FIRST_PAGE, Math.floor((wanted * keys) / bytes)))
}
