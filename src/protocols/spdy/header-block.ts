/**
 * The beginning of the deflate stream in which a connection has its header blocks (RFC 1950): a window of 32 KiB, and the checksum of SPDY's dictionary (SPDY/3.1, 2.6.10.1), with which the
 * other side sets up its inflater.
 */
const ZLIB_HEAD = Buffer.from('78bbe3c6a7c2', 'hex')
const MAX_STORED = 0xffff
/** An empty stored block, as a flush leaves it: who inflates gives out what came before when it sees this. */
const FLUSH = Buffer.from('000000ffff', 'hex')

type Header = readonly [name: string, value: string]

/**
 * A header block, as SYN_STREAM has it. The few short headers of a stream are stored in the deflate stream (RFC 1951, 3.2.4) rather than compressed, so no state goes from one block to the next but that the
 * first of a connection has the stream's head.
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
