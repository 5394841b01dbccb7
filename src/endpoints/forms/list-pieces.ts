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

interface Kept extends CompressedPiece {
  readonly keys: readonly string[]
  readonly revisions: readonly number[]
}

/** Of a piece, and of each object in it. */
const KEPT_BYTES = 300
const KEPT_OBJECT_BYTES = 24

/** The list in pieces that other lists have as well, or undefined where it should not be. Where a piece ends goes by its objects, not by its place: after a change the others are the same. */
export function listPieces(list: PiecedList): (() => Iterable<Piece>) | undefined {
  return list.items[0]?.note === undefined || list.length > MOST_KEPT ? undefined : () => piecesOf(list)
}

function* piecesOf(list: PiecedList): Generator<Piece, void, undefined> {
  const { items, first } = list
  yield passingPiece(list.start)
  let from = 0
  if (first !== undefined) yield passingPiece(first(items[from++] as StoredObject))
  while (from < items.length) {
    let bytes = 0
    let to = from
    do bytes += list.size(to++)
    while (to < items.length && !endsPiece(items[to - 1] as StoredObject) && bytes < MOST_BYTES)
    yield pieceOf(list, from, to, bytes)
    from = to
  }
  yield passingPiece(list.end)
}

const endsPiece = ({ revision }: StoredObject): boolean => (Math.imul(revision, 0x9e3779b1) >>> 0) % OBJECTS === 0

function pieceOf(list: PiecedList, from: number, to: number, bytes: number): Piece {
  const { by, items } = list
  const holder = items[from] as StoredObject
  return {
    raw() {
      const raw = Buffer.allocUnsafeSlow(bytes)
      let at = 0
      for (let i = from; i < to; i++) at = list.write(items[i] as StoredObject, raw, at)
      return raw
    },
    kept() {
      const kept = holder.noted?.(by) as Kept | undefined
      if (kept?.keys.length !== to - from) return undefined
      for (let i = from; i < to; i++) {
        const { key, revision } = items[i] as StoredObject
        if (kept.revisions[i - from] !== revision || kept.keys[i - from] !== key) return undefined
      }
      return kept
    },
    keep(compressed) {
      const objects = items.slice(from, to)
      const kept: Kept = { ...compressed, keys: objects.map(({ key }) => key), revisions: objects.map(({ revision }) => revision) }
      holder.note?.(by, kept, compressed.deflated.length + KEPT_BYTES + KEPT_OBJECT_BYTES * objects.length)
    },
  }
}
