import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRawSync } from 'node:zlib'
import { crc32, shiftBy } from '../../lib/crc32.ts'
import type { FilledBody } from '../../lib/filled-body.ts'
import type { CompressedPiece } from '../../lib/pieces.ts'
import { nextTurn, turnIsLong } from '../../lib/turn.ts'

const deflate = promisify(deflateRaw)
/** Each piece stands by itself, and is no last one. */
const FLUSH = { finishFlush: constants.Z_FULL_FLUSH }
/** Of a document that are compressed together: half a millisecond to make them again for who takes no gzip. */
const PIECE_BYTES = 128 * 1024

/** A document that is kept compressed. */
export interface KeptDocument {
  /** SHA-512 in hexadecimal, upper case. */
  readonly hash: string
  readonly length: number
  readonly pieces: readonly CompressedPiece[]
}

/** Makes a document in turns with all else, and compresses it in other threads: it never lies in memory as a whole. */
export async function keepDocument(pieces: Iterable<Buffer | undefined>): Promise<KeptDocument> {
  const hash = createHash('sha512')
  const kept: CompressedPiece[] = []
  let waiting: Buffer[] = []
  let bytes = 0
  let length = 0
  const compress = async (): Promise<void> => {
    const raw = Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
    hash.update(raw)
    kept.push({ deflated: await ofItsSize(raw), length: raw.length, crc: crc32(raw), shift: shiftBy(raw.length) })
  }
  for (const piece of pieces) {
    if (turnIsLong()) await nextTurn()
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
  return { hash: hash.digest('hex').toUpperCase(), length, pieces: kept }
}

async function ofItsSize(raw: Buffer): Promise<Buffer> {
  const bytes = await deflate(raw, FLUSH)
  const kept = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(kept)
  return kept
}

/** The document as the body of an answer: as it is kept for who takes gzip. */
export function bodyOf({ length, pieces }: KeptDocument): FilledBody {
  let next = 0
  return {
    length,
    fill: () => inflated(pieces[next++] as CompressedPiece),
    pieces: () => pieces.map(piece => ({ raw: () => inflated(piece), kept: () => piece, keep: () => {} })),
  }
}

const inflated = ({ deflated }: CompressedPiece): Buffer => inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH })
