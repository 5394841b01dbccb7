import type { ListMeta } from '../../../api/meta/object.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import type { Encoded, StoredObject } from '../../../storage/storage.ts'
import { dialectOf } from '../../dialect/dialect-of.ts'
import { listPieces } from '../list-pieces.ts'

/** Items whose length is summed before the event loop gets a turn. */
const LOOK = 500
const COMMA = 0x2c
const BRACE = 0x7b
const NOTHING = Buffer.alloc(0)
const NO_ITEM: Encoded = { bytes: NOTHING, header: 0 }

/**
 * Returns a list as JSON, copied from the stored bytes of its items without parsing them. Items of built-in kinds have
 * no kind and apiVersion in a list: each item is copied whole, and the bytes before it are then written over its type
 * header. Each part is therefore filled from its end to its beginning. The result opens the body, any number of times.
 */
export async function listBody(version: Version, meta: ListMeta, items: readonly StoredObject[]): Promise<() => FilledBody> {
  const around = dialectOf(version.schema).listEnvelope(version, meta)
  const start = Buffer.from(around.start)
  const end = Buffer.from(around.end)
  let length = start.length + end.length
  for (let i = 0; i < items.length; i++) {
    length += itemLength(items[i])
    if (i % LOOK === LOOK - 1 && turnIsSpent()) await nextTurn()
  }
  if (items.length > 0) length--
  const pieces = listPieces({
    by: version,
    length,
    start,
    items,
    end,
    size: i => itemLength(items[i]),
    write: writeItem,
    first: item => Buffer.concat([OPENING, itemBody(item)]),
  })
  return () => ({ ...filled(start, end, items, length), pieces })
}

const OPENING = Buffer.from('{')

/** Writes an item with its comma and brace. Returns its end. */
function writeItem(item: StoredObject, target: Buffer, at: number): number {
  const { bytes, header } = item.json()
  const from = at + 2
  target[at] = COMMA
  target[at + 1] = BRACE
  target.set(header === 0 ? bytes : bytes.subarray(header), from)
  return from + bytes.length - header
}

/** Fills each part with as many whole items as fit. An item that is longer than a part is sent by itself. */
function filled(start: Buffer, end: Buffer, items: readonly StoredObject[], length: number): FilledBody {
  // -1: the start comes next; items.length: the end comes next.
  let next = -1
  /** Items of the part. */
  const part: Encoded[] = []
  const fill = (target: Buffer): Buffer => {
    if (next < 0) {
      next = 0
      return start
    }
    if (next >= items.length) return end
    const first = next
    // Room for the first item's type header, which is cut off at the end.
    const margin = headerOf(items[first])
    let size = margin
    let count = 0
    for (let item = items[next]; item !== undefined; item = items[next]) {
      const encoded = item.json()
      const more = encoded.bytes.length - encoded.header + 2
      if (size + more > target.length) break
      part[count++] = encoded
      size += more
      next++
    }
    if (next === first) {
      next++
      return Buffer.concat([first > 0 ? Buffer.from(',{') : OPENING, itemBody(items[first])])
    }
    let at = size
    for (let i = count - 1; i >= 0; i--) {
      const { bytes, header } = part[i] ?? NO_ITEM
      at -= bytes.length
      target.set(bytes, at)
      at += header
      target[--at] = BRACE
      target[--at] = COMMA
    }
    return target.subarray(first === 0 ? at + 1 : at, size)
  }
  return { length, fill }
}

const headerOf = (item: StoredObject | undefined): number => item?.json().header ?? 0
/** Returns the length of an item with its comma and brace. */
function itemLength(item: StoredObject | undefined): number {
  if (item === undefined) return 0
  const { bytes, header } = item.json()
  return bytes.length - header + 2
}
/** Returns the item's JSON without its type header and opening brace. */
function itemBody(item: StoredObject | undefined): Buffer {
  if (item === undefined) return NOTHING
  const { bytes, header } = item.json()
  return bytes.subarray(header)
}
