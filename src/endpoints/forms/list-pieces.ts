import { type CompressedPiece, type Piece, passingPiece } from '../../lib/pieces.ts'
import { DERIVED_BYTES } from '../../storage/byte-budget.ts'
import type { StoredObject } from '../../storage/storage.ts'

/** On average so many objects make a piece. */
const OBJECTS = 32
const MOST_BYTES = 128 * 1024
/** Lists of more bytes are compressed as a stream: what is kept of their beginning would be dropped before their end. Six bytes become one, or fewer. */
const MOST_KEPT = 6 * 0.75 * DERIVED_BYTES

/** What a list is made of. */
export interface PiecedList {
  /** Who keeps the pieces: one object for each form of each version. */
  readonly by: object
  readonly length: number
  readonly start: Buffer
  readonly items: readonly StoredObject[]
  readonly end: Buffer
  /** Of the item at an index. */
  size(i: number): number
  /** Returns where it ends. */
  write(item: StoredObject, target: Buffer, at: number): number
  /** Of the first item, where it is another than of one after others. */
  readonly first?: (item: StoredObject) => Buffer
}

/** What a piece was compressed to, with the objects that it was made of: as long as those are in it, it is the same piece. */
class KeptPiece implements CompressedPiece {
  readonly deflated: Buffer
  readonly length: number
  readonly crc: number
  readonly shift: number
  readonly #keys: readonly string[]
  readonly #revisions: readonly number[]

  constructor({ deflated, length, crc, shift }: CompressedPiece, objects: readonly StoredObject[]) {
    this.deflated = deflated
    this.length = length
    this.crc = crc
    this.shift = shift
    this.#keys = objects.map(({ key }) => key)
    this.#revisions = objects.map(({ revision }) => revision)
  }

  /** Whether the items from `from` up to `to` are the objects that it was made of. */
  isOf(items: readonly StoredObject[], from: number, to: number): boolean {
    if (this.#keys.length !== to - from) return false
    for (let i = from; i < to; i++) {
      const item = items[i]
      if (item === undefined || this.#revisions[i - from] !== item.revision || this.#keys[i - from] !== item.key) return false
    }
    return true
  }
}

/** Of a piece, and of each object in it. */
const KEPT_BYTES = 300
const KEPT_OBJECT_BYTES = 24

/** The list in pieces that other lists have as well, or undefined where it should not be. Where a piece ends goes by its objects, not by its place: after a change the others are the same. */
export function listPieces(list: PiecedList): (() => Iterable<Piece>) | undefined {
  return list.items[0]?.note === undefined || list.length > MOST_KEPT ? undefined : () => piecesOf(list)
}

/** The list's head and tail pass; the pieces between are kept with their first objects. */
function* piecesOf(list: PiecedList): Generator<Piece, void, undefined> {
  const { items, first } = list
  yield passingPiece(list.start)
  const [head] = items
  let from = 0
  if (first !== undefined && head !== undefined) {
    yield passingPiece(first(head))
    from = 1
  }
  while (from < items.length) {
    let bytes = 0
    let to = from
    do bytes += list.size(to++)
    while (to < items.length && !endsPiece(items[to - 1]) && bytes < MOST_BYTES)
    yield pieceOf(list, from, to, bytes)
    from = to
  }
  yield passingPiece(list.end)
}

/** One of 32 objects does, as a hash of its revision falls out. */
const endsPiece = (item: StoredObject | undefined): boolean => item !== undefined && (Math.imul(item.revision, 0x9e3779b1) >>> 0) % OBJECTS === 0

/** Looks at its objects only when it is asked for: a piece that is kept is not written again. */
function pieceOf(list: PiecedList, from: number, to: number, bytes: number): Piece {
  const { by, items } = list
  // The first object keeps the piece.
  const holder = items[from]
  return {
    raw() {
      const raw = Buffer.allocUnsafeSlow(bytes)
      let at = 0
      for (const item of items.slice(from, to)) at = list.write(item, raw, at)
      return raw
    },
    kept() {
      const kept = holder?.noted?.(by)
      return kept instanceof KeptPiece && kept.isOf(items, from, to) ? kept : undefined
    },
    keep(compressed) {
      const objects = items.slice(from, to)
      holder?.note?.(by, new KeptPiece(compressed, objects), compressed.deflated.length + KEPT_BYTES + KEPT_OBJECT_BYTES * objects.length)
    },
  }
}
