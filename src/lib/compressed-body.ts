import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, inflateRawSync } from 'node:zlib'
import type { FilledBody } from './filled-body.ts'
import { shiftBy } from './joined-crc.ts'
import type { CompressedPiece } from './pieces.ts'
import { nextLongTurn, turnIsLong } from './turn.ts'

const deflate = promisify(deflateRaw)
/** Bytes that are compressed together. A client without gzip support costs half a millisecond to decompress them. */
const PIECE_BYTES = 128 * 1024

/** A compressed body in pieces. */
export interface CompressedBody {
  readonly length: number
  readonly pieces: readonly CompressedPiece[]
}

/** Options of `compressBody`. */
export interface CompressOptions {
  /** Compression level; 1 is the fastest. Default: that of zlib. */
  readonly level?: number
  /** Receives the uncompressed bytes in order. */
  readonly see?: (raw: Buffer) => void
}

/**
 * Compresses a body while it is produced, in turns of the event loop and on other threads, so that it is never in
 * memory as a whole. `pieces`: the bytes, with undefined wherever other work may run.
 */
export async function compressBody(pieces: Iterable<Buffer | undefined>, { level, see }: CompressOptions = {}): Promise<CompressedBody> {
  // Each piece is independent of the others and is not the last block.
  const options = { finishFlush: constants.Z_FULL_FLUSH, ...(level !== undefined && { level }) }
  const kept: CompressedPiece[] = []
  let waiting: Buffer[] = []
  let bytes = 0
  let length = 0
  const compress = async (): Promise<void> => {
    const raw = Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
    see?.(raw)
    const deflated = await deflate(raw, options)
    // The result of zlib is in a larger allocation.
    const own = Buffer.allocUnsafeSlow(deflated.length)
    deflated.copy(own)
    kept.push({ deflated: own, length: raw.length, crc: crc32(raw), shift: shiftBy(raw.length) })
  }
  for (const piece of pieces) {
    if (turnIsLong()) await nextLongTurn()
    if (piece === undefined) continue
    length += piece.length
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + PIECE_BYTES - bytes)
      from += part.length
      bytes += part.length
      waiting.push(part)
      if (bytes === PIECE_BYTES) await compress()
    }
  }
  if (bytes > 0) await compress()
  return { length, pieces: kept }
}

/** Decompresses a body while it is sent. Clients that accept gzip get the compressed pieces. */
export function decompressBody({ length, pieces }: CompressedBody): FilledBody {
  const left = pieces.values()
  const inflateNext = (): Buffer => {
    const { done, value } = left.next()
    return done ? Buffer.alloc(0) : inflated(value)
  }
  return {
    length,
    fill: inflateNext,
    pieces: () => pieces.map(piece => ({ raw: () => inflated(piece), kept: () => piece, keep: () => {} })),
  }
}

const inflated = ({ deflated }: CompressedPiece): Buffer => inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH })
