import type { Header } from '../../lib/header.ts'

/**
 * Header of the deflate stream of a connection's header blocks (RFC 1950): a window of 32 KiB, and the checksum of
 * SPDY's dictionary (SPDY/3.1, section 2.6.10.1), which the other side's inflater needs.
 */
const ZLIB_HEAD = Buffer.from('78bbe3c6a7c2', 'hex')
const MAX_STORED = 0xffff
/** An empty stored block, as a flush writes it. An inflater then returns the data before it. */
const FLUSH = Buffer.from('000000ffff', 'hex')

/**
 * Makes a header block. The few short headers of a stream are stored, not compressed (RFC 1951, section 3.2.4), so that
 * blocks do not depend on each other, except that the first one begins with the stream's header.
 */
export function headerBlock(headers: readonly Header[], first: boolean): Buffer {
  const pairs = Buffer.concat([word(headers.length), ...headers.flat().flatMap(text => [word(Buffer.byteLength(text)), Buffer.from(text)])])
  if (pairs.length > MAX_STORED) throw new RangeError('a header block has less than 64 KiB')
  const lengths = Buffer.allocUnsafe(5)
  lengths[0] = 0
  lengths.writeUInt16LE(pairs.length, 1)
  lengths.writeUInt16LE(~pairs.length & MAX_STORED, 3)
  return Buffer.concat(first ? [ZLIB_HEAD, lengths, pairs, FLUSH] : [lengths, pairs, FLUSH])
}

function word(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}
