import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { combineCrc32, shiftBy } from '../../lib/joined-crc.ts'
import type { CompressedPiece, Piece } from '../../lib/pieces.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'

const deflate = promisify(deflateRaw)
/** The fastest level, as upstream. A full flush ends the window, so that no later piece refers to bytes of this one. */
const OPTIONS = { level: 1, finishFlush: constants.Z_FULL_FLUSH }
/** Magic, deflate, no flags, no time, fastest, unknown system (RFC 1952, section 2.3). */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
/** Empty final block. */
const LAST_BLOCK = Buffer.from([3, 0])
/** Pieces that are compressed at the same time, on libuv's threads. */
const AT_ONCE = 4
/** Shorter pieces are stored uncompressed: setting up a compressor costs more than it saves. */
const STORED_BYTES = 512

/**
 * Writes one gzip member. Pieces that carry compressed bytes from an earlier response are not compressed again. `write`
 * returns whether to continue, when it can take more.
 */
export async function writeGzip(pieces: Iterable<Piece>, write: (bytes: Buffer) => boolean | Promise<boolean>): Promise<void> {
  const under: (CompressedPiece | Promise<CompressedPiece>)[] = []
  let crc = 0
  let length = 0
  const next = async (): Promise<boolean> => {
    const first = under.shift()
    if (first === undefined) return true
    const piece = await first
    crc = combineCrc32(crc, piece.shift, piece.crc)
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
  await write(gzipTail(crc, length))
}

/**
 * Returns the end of a gzip member whose blocks so far are not final: an empty final block, and the CRC and length of
 * the whole text.
 */
export function gzipTail(crc: number, length: number): Buffer {
  const tail = Buffer.alloc(LAST_BLOCK.length + 8)
  LAST_BLOCK.copy(tail)
  tail.writeUInt32LE(crc, LAST_BLOCK.length)
  tail.writeUInt32LE(length % 2 ** 32, LAST_BLOCK.length + 4)
  return tail
}

/** Marks the promise as handled. Its rejection is reported when it is awaited. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** Compresses a piece and caches the result in it. Short pieces are stored, and not cached. */
async function compressed(piece: Piece): Promise<CompressedPiece> {
  const raw = piece.raw()
  const made = { length: raw.length, crc: crc32(raw), shift: shiftBy(raw.length) }
  if (raw.length <= STORED_BYTES) return { deflated: stored(raw), ...made }
  const bytes = await deflate(raw, OPTIONS)
  // A copy of the exact size: the buffer that zlib returns is larger.
  const deflated = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(deflated)
  const result = { deflated, ...made }
  piece.keep(result)
  return result
}

/** Returns a stored (uncompressed) block. */
function stored(raw: Buffer): Buffer {
  const block = Buffer.allocUnsafe(5 + raw.length)
  block[0] = 0
  block.writeUInt16LE(raw.length, 1)
  block.writeUInt16LE(~raw.length & 0xffff, 3)
  raw.copy(block, 5)
  return block
}
