/** A part of a body that also occurs in other bodies, so that its compressed form can be cached. */
export interface Piece {
  /** Returns the uncompressed bytes. */
  raw(): Buffer
  /** Returns the cached compressed form. Undefined if there is none. */
  kept(): CompressedPiece | undefined
  /** Caches the compressed form. */
  keep(compressed: CompressedPiece): void
}

/**
 * A piece that was compressed on its own: it does not refer to earlier data, is not the last block, and ends at a byte
 * boundary (RFC 1951).
 */
export interface CompressedPiece {
  /** Blocks of the deflate format. */
  readonly deflated: Buffer
  /** Length of the uncompressed bytes. */
  readonly length: number
  /** CRC-32 of the uncompressed bytes. */
  readonly crc: number
  /** Factor by which the piece shifts the CRC of what precedes it. See `shiftBy`. */
  readonly shift: number
}

/** Creates a piece whose compressed form is not cached. */
export const passingPiece = (bytes: Buffer): Piece => ({ raw: () => bytes, kept: () => undefined, keep: () => {} })
