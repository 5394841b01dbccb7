import { type CompressedPiece, type Piece, passingPiece } from '../../lib/pieces.ts'
import { DERIVED_BYTES } from '../../storage/byte-budget.ts'
import type { StoredObject } from '../../storage/storage.ts'

/** Average number of objects in a piece. */
const OBJECTS = 32
const MOST_BYTES = 128 * 1024
/**
 * Longer lists are compressed as a stream: the cache would drop their first pieces before their last. DEFLATE
 * compresses them to a sixth or less.
 */
const MOST_KEPT = 6 * 0.75 * DERIVED_BYTES

/** The parts of a list. */
export interface PiecedList {
  /** Key of the cached pieces: one object for each form of each version. */
  readonly by: object
  readonly length: number
  readonly start: Buffer
  readonly items: readonly StoredObject[]
  readonly end: Buffer
  /** Returns the length of the item at an index. */
  size(i: number): number
  /** Writes an item. Returns its end. */
  write(item: StoredObject, target: Buffer, at: number): number
  /** Optional. Returns the first item, if it differs from the form of later ones. */
  readonly first?: (item: StoredObject) => Buffer
}

/** A compressed piece with its objects. It can be reused for a list that has the same objects in this place. */
class CachedPiece implements CompressedPiece {
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

  /** Reports whether the piece was made of the items from `from` up to `to`. */
  isOf(items: readonly StoredObject[], from: number, to: number): boolean {
    if (this.#keys.length !== to - from) return false
    for (let i = from; i < to; i++) {
      const item = items[i]
      if (item === undefined || this.#revisions[i - from] !== item.revision || this.#keys[i - from] !== item.key) return false
    }
    return true
  }
}

/** Memory of a cached piece, and of each object in it, in bytes. */
const KEPT_BYTES = 300
const KEPT_OBJECT_BYTES = 24

/**
 * Returns the list in pieces that other lists have as well. Undefined if it should be compressed as a stream. The
 * boundaries depend on the objects, not on their positions, so that a change affects one piece only.
 */
export function listPieces(list: PiecedList): (() => Iterable<Piece>) | undefined {
  return list.items[0]?.note === undefined || list.length > MOST_KEPT ? undefined : () => piecesOf(list)
}

/** Returns the pieces. Head and tail are not cached; the pieces in between are cached with their first objects. */
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

/** Reports whether a piece ends with the item: one in 32 does, by a hash of its revision. */
const endsPiece = (item: StoredObject | undefined): boolean =>
  item !== undefined && (Math.imul(item.revision, 0x9e3779b1) >>> 0) % OBJECTS === 0

/** Returns a piece. Its objects are only read when needed: a cached piece is not encoded again. */
function pieceOf(list: PiecedList, from: number, to: number, bytes: number): Piece {
  const { by, items } = list
  // The first object holds the cached piece.
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
      return kept instanceof CachedPiece && kept.isOf(items, from, to) ? kept : undefined
    },
    keep(compressed) {
      const objects = items.slice(from, to)
      holder?.note?.(by, new CachedPiece(compressed, objects), compressed.deflated.length + KEPT_BYTES + KEPT_OBJECT_BYTES * objects.length)
    },
  }
}
