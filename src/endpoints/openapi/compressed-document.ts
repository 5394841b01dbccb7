import { createHash, type Hash } from 'node:crypto'
import { type CompressedBody, compressBody } from '../../lib/compressed-body.ts'
import { nextLongTurn, turnIsLong } from '../../lib/turn.ts'

/** A document that is kept in compressed form. */
export interface CompressedDocument extends CompressedBody {
  /** SHA-512 in hexadecimal, upper case. */
  readonly hash: string
}

/** Compresses and hashes a document, in turns. */
export async function compressDocument(pieces: Iterable<Buffer | undefined>): Promise<CompressedDocument> {
  const hash = createHash('sha512')
  const body = await compressBody(pieces, { see: raw => hash.update(raw) })
  return { ...body, hash: hashText(hash) }
}

/** Hashes a document without compressing it, in turns: compression would take several times as long. */
export async function hashDocument(pieces: Iterable<Buffer | undefined>): Promise<string> {
  const hash = createHash('sha512')
  for (const piece of pieces) {
    if (piece) hash.update(piece)
    if (turnIsLong()) await nextLongTurn()
  }
  return hashText(hash)
}

const hashText = (hash: Hash): string => hash.digest('hex').toUpperCase()
