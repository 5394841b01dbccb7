import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRawSync } from 'node:zlib'
import { crc32, shiftBy } from './crc32.ts'
import type { FilledBody } from './filled-body.ts'
import type { CompressedPiece } from './pieces.ts'
import { nextLongTurn, turnIsLong } from './turn.ts'

const deflate = promisify(deflateRaw)
/** Compressed together: half a millisecond to make them again for who takes no gzip. */
const PIECE_BYTES = 128 * 1024

/** A body that is kept compressed. */
export interface CompressedBody {
  readonly length: number
  readonly pieces: readonly CompressedPiece[]
}

export interface CompressOptions {
  /** 1: the fastest. Absent: zlib's own. */
  readonly level?: number
  /** Sees the bytes as they were, in order. */
  readonly see?: (raw: Buffer) => void
}

/** Compresses a body while it is made, in turns with all else and in other threads: it never lies in memory as a whole. `pieces`: its bytes; undefined wherever others may have their turn. */
export async function compressBody(pieces: Iterable<Buffer | undefined>, { level, see }: CompressOptions = {}): Promise<CompressedBody> {
  // Each piece stands by itself, and is no last one.
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
    // Memory of just its size: what it comes in is larger.
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

/** The body of an answer: as it is kept for who takes gzip. */
export function bodyOf({ length, pieces }: CompressedBody): FilledBody {
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
