/** A part of a body that is the same in other bodies, so that what it is compressed to can be kept. */
export interface Piece {
  /** Its bytes. */
  raw(): Buffer
  kept(): CompressedPiece | undefined
  keep(compressed: CompressedPiece): void
}

/** Compressed by itself: it refers to nothing before it, is no last block, and ends at a byte (RFC 1951). */
export interface CompressedPiece {
  readonly deflated: Buffer
  /** Of the raw bytes. */
  readonly length: number
  readonly crc: number
  /** What they do to the CRC of what comes before. */
  readonly shift: number
}

/** A piece that nobody keeps. */
export const passingPiece = (bytes: Buffer): Piece => ({ raw: () => bytes, kept: () => undefined, keep: () => {} })
