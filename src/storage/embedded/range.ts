import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { KeyValue, RangePage, RangeQuery } from '../backend.ts'
import type { Key, Revision } from '../revision.ts'
import { decodeLatest } from './layout.ts'
import { boundBytes, changeAt, existedAt, revisionAt } from './reader.ts'
import type { Tables } from './tables.ts'

const NO_VALUE = Buffer.alloc(0)

const keyAt = (key: Key, at: number): KeyValue => ({ key, value: NO_VALUE, createRevision: 0 as Revision, modRevision: at as Revision })

/**
 * A page as of revision `at`, read in slices between which other work runs. Every slice reads the same revision, so changes made meanwhile do not show;
 * the caller sees to it that the revision was not compacted meanwhile.
 */
export async function readRange(tables: Tables, query: RangeQuery, at: Revision, now: Revision, check: () => void): Promise<RangePage> {
  const items: KeyValue[] = []
  const limit = query.countOnly ? 0 : query.limit || Number.POSITIVE_INFINITY
  const end = query.end === '\0' ? undefined : boundBytes(query.end)
  let count = 0
  let start: Buffer | undefined = boundBytes(query.start)
  while (start) {
    let next: Buffer | undefined
    let seen = 0
    for (const { key, value } of tables.latest.getRange({ start, ...(end && { end }) })) {
      if ((++seen & 31) === 0 && turnIsSpent()) {
        next = key
        break
      }
      const entry = decodeLatest(value)
      if (items.length >= limit || query.countOnly) {
        if (!existedAt(tables, entry, at)) continue
        count++
        // Who asks for keys alone does not ask how many more there are.
        if (query.keysOnly) break
        continue
      }
      const revision = revisionAt(tables, entry, at)
      const item = revision === 0 ? undefined : query.keysOnly ? keyAt(key.toString() as Key, revision) : changeAt(tables, key.toString() as Key, revision)
      if (!item) continue
      count++
      items.push(item)
    }
    start = next
    if (start) {
      await nextTurn()
      check()
    }
  }
  return { items, revision: now, more: !query.countOnly && count > items.length, count }
}
