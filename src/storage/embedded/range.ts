import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { KeyValue, RangePage, RangeQuery } from '../backend.ts'
import { type Key, NO_REVISION, type Revision } from '../revision.ts'
import { Entries } from './entries.ts'
import type { Tables } from './environment.ts'
import { decodeKey } from './layout.ts'
import { PageValues } from './page-values.ts'
import { boundBytes, changeAt, existedAt, revisionAt } from './reader.ts'

const NO_VALUE = Buffer.alloc(0)

/** Returns a key without its value. Its create revision is omitted, because it would cost a read of the log. */
const keyAt = (key: Key, modRevision: Revision): KeyValue => ({ key, value: NO_VALUE, createRevision: NO_REVISION, modRevision })

/**
 * Reads a page as of revision `at`, in slices between which other work runs. Every slice reads the same revision, so
 * changes made meanwhile do not show. `check` throws if the revision was compacted meanwhile.
 */
export async function readRange(tables: Tables, query: RangeQuery, at: Revision, now: Revision, check: () => void): Promise<RangePage> {
  const items: KeyValue[] = []
  const values = new PageValues()
  const { visit } = query
  const keep = visit ? (view: Buffer): Buffer => view : (view: Buffer): Buffer => values.keep(view)
  let given = 0
  const limit = query.countOnly ? 0 : query.limit || Number.POSITIVE_INFINITY
  const end = query.end === '\0' ? undefined : boundBytes(query.end)
  const isCounted = query.counted === true || query.countOnly === true
  let count = 0
  let start: Buffer | undefined = boundBytes(query.start)
  const entries = new Entries(tables, at, now)
  while (start) {
    let next: Buffer | undefined
    let seen = 0
    for (const { key, entry } of entries.in({ start, ...(end && { end }) })) {
      if ((++seen & 31) === 0 && turnIsSpent()) {
        next = key
        break
      }
      if (given >= limit || query.countOnly) {
        if (!existedAt(tables, entry, at)) continue
        count++
        if (isCounted) continue
        break
      }
      const revision = revisionAt(tables, entry, at)
      const item =
        revision === 0 ? undefined : query.keysOnly ? keyAt(decodeKey(key), revision) : changeAt(tables, decodeKey(key), revision, keep)
      if (!item) continue
      count++
      given++
      if (visit) visit(item)
      else items.push(item)
    }
    start = next
    if (start) {
      await nextTurn()
      check()
    }
  }
  return { items, revision: now, more: !query.countOnly && count > given, ...(isCounted && { count }) }
}
