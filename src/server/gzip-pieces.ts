import { promisify } from 'node:util'
import { constants, deflateRaw } from 'node:zlib'
import { crc32, joined, shiftBy } from '../lib/crc32.ts'
import type { CompressedPiece, Piece } from '../lib/pieces.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'

const deflate = promisify(deflateRaw)
/** As upstream, the fastest. A full flush ends what later bytes can refer to. */
const OPTIONS = { level: 1, finishFlush: constants.Z_FULL_FLUSH }
/** Magic, deflate, no flags, no time, fastest, unknown system (RFC 1952, section 2.3). */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
/** An empty last block. */
const LAST_BLOCK = Buffer.from([3, 0])
/** Pieces that are compressed at a time, in other threads. */
const AT_ONCE = 4
/** What is shorter is stored as it is: to set up a compressor costs more. */
const STORED_BYTES = 512

/** One gzip member of the pieces: only those are compressed that were not before. `write` says whether to go on, when it can take more. */
export async function writeGzip(pieces: Iterable<Piece>, write: (bytes: Buffer) => boolean | Promise<boolean>): Promise<void> {
  const under: (CompressedPiece | Promise<CompressedPiece>)[] = []
  let crc = 0
  let length = 0
  const next = async (): Promise<boolean> => {
    const first = under.shift()
    if (first === undefined) return true
    const piece = first instanceof Promise ? await first : first
    crc = joined(crc, piece.shift, piece.crc)
    length += piece.length
    return write(piece.deflated)
  }
  if (!(await write(HEAD))) return
  for (const piece of pieces) {
    const kept = piece.kept()
    if (kept === undefined && turnIsSpent()) await nextTurn()
    under.push(kept ?? handled(compressed(piece)))
    if (under.length > AT_ONCE && !(await next())) return
  }
  while (under.length > 0) if (!(await next())) return
  const tail = Buffer.alloc(LAST_BLOCK.length + 8)
  LAST_BLOCK.copy(tail)
  tail.writeUInt32LE(crc, LAST_BLOCK.length)
  tail.writeUInt32LE(length % 2 ** 32, LAST_BLOCK.length + 4)
  await write(tail)
}

/** Its failure is reported when its turn comes. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

async function compressed(piece: Piece): Promise<CompressedPiece> {
  const raw = piece.raw()
  const made = { length: raw.length, crc: crc32(raw), shift: shiftBy(raw.length) }
  if (raw.length <= STORED_BYTES) return { deflated: stored(raw), ...made }
  const bytes = await deflate(raw, OPTIONS)
  // Memory of just its size: what it comes in is larger.
  const deflated = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(deflated)
  const result = { deflated, ...made }
  piece.keep(result)
  return result
}

/** A block that is not compressed. */
function stored(raw: Buffer): Buffer {
  const block = Buffer.allocUnsafe(5 + raw.length)
  block[0] = 0
  block.writeUInt16LE(raw.length, 1)
  block.writeUInt16LE(~raw.length & 0xffff, 3)
  raw.copy(block, 5)
  return block
}
