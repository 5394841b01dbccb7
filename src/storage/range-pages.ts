import type { Backend, RangePage, RangeQuery } from './backend.ts'
import { keyAfter } from './key-range.ts'
import type { Key } from './revision.ts'

/** Keys of a first page. Later ones have about so many bytes of keys and values, or so many keys. */
const FIRST_PAGE = 500
const PAGE_BYTES = 6 << 20
/** A store that counts what is left of the range at every page, asked or not, is read in fewer pages. */
const COUNTED_PAGE_BYTES = 16 << 20
const LONGEST_PAGE = 20_000

/** A range that is read in pages. */
export type PagedQuery = Pick<RangeQuery, 'start' | 'end' | 'at' | 'keysOnly'>

/**
 * Reads a range in pages of about the same size in bytes, all at the revision of the first, or at the given one. Together they have each key once, in order. The next page is asked for before one is given, so that the
 * store makes it while that is taken in: at most two are held. Throws BackendError.
 */
export async function* rangePages(backend: Pick<Backend, 'range'>, query: PagedQuery, signal: AbortSignal): AsyncGenerator<RangePage, void, undefined> {
  let { at } = query
  let next: Promise<RangePage> | undefined = backend.range({ ...query, limit: FIRST_PAGE }, signal)
  while (next !== undefined) {
    const page: RangePage = await next
    at ??= page.revision
    const last: Key | undefined = page.items.at(-1)?.key
    next = page.more && last !== undefined ? backend.range({ ...query, at, start: keyAfter(last), limit: nextLimit(page) }, signal) : undefined
    // A failure is thrown when its page is awaited, which a caller that ends before never does.
    next?.catch(() => {})
    yield page
  }
}

/** Keys of the next page, if they are as long as those of this one. */
function nextLimit({ items, count }: RangePage): number {
  let bytes = 0
  for (const { key, value } of items) bytes += key.length + value.length
  const wanted = count === undefined ? PAGE_BYTES : COUNTED_PAGE_BYTES
  return Math.min(LONGEST_PAGE, Math.max(FIRST_PAGE, Math.floor((wanted * items.length) / bytes)))
}
