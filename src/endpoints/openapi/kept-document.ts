import { createHash } from 'node:crypto'
import { type CompressedBody, compressBody } from '../../lib/compressed-body.ts'

/** A document that is kept compressed. */
export interface KeptDocument extends CompressedBody {
  /** SHA-512 in hexadecimal, upper case. */
  readonly hash: string
}

/** Makes a document. */
export async function keepDocument(pieces: Iterable<Buffer | undefined>): Promise<KeptDocument> {
  const hash = createHash('sha512')
  const body = await compressBody(pieces, { see: raw => hash.update(raw) })
  return { ...body, hash: hash.digest('hex').toUpperCase() }
}
