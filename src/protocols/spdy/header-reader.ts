import { constants, inflateRawSync } from 'node:zlib'
import { headerDictionary } from './dictionary.ts'

/** Largest header block, compressed or not. */
export const MAX_BLOCK_BYTES = 64 * 1024
/** Header of the deflate stream, and the checksum of the dictionary. */
const ZLIB_HEAD_BYTES = 6
const WINDOW_BYTES = 32 * 1024

/** Reads the header blocks of one connection, which are parts of one deflate stream. */
export class HeaderReader {
  /** End of what has been inflated, to which the next block may refer. Undefined before the first block. */
  #window: Buffer | undefined

  /**
   * Returns the headers of a block by their names in lower case. Throws an Error if the block is damaged or too large.
   */
  read(block: Buffer): Map<string, string> {
    const isFirst = this.#window === undefined
    const dictionary = this.#window ?? headerDictionary()
    const deflated = isFirst ? block.subarray(ZLIB_HEAD_BYTES) : block
    const bytes = inflateRawSync(deflated, { dictionary, finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_BLOCK_BYTES })
    this.#window = Buffer.concat([dictionary, bytes]).subarray(-WINDOW_BYTES)
    return headersIn(bytes)
  }
}

function headersIn(bytes: Buffer): Map<string, string> {
  let at = 0
  const number = (): number => {
    const value = bytes.readUInt32BE(at)
    at += 4
    return value
  }
  const text = (): string => {
    const length = number()
    if (length > bytes.length - at) throw new RangeError('a header of SPDY is longer than its block')
    at += length
    return bytes.toString('utf8', at - length, at)
  }
  const headers = new Map<string, string>()
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase()
    headers.set(name, text())
  }
  return headers
}
