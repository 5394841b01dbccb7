/** A PEM block (RFC 7468). */
export interface PemBlock {
  /** Label of the block, such as `CERTIFICATE` or `CERTIFICATE REQUEST`. */
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

/** Matches the first line of a block, at the start of a line. Spaces, tabs and a carriage return may follow it. */
const BEGIN = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n/g
const END = '-----END '
/** Matches a header line of RFC 1421, such as `Proc-Type: 4,ENCRYPTED`. */
const HEADER = /^[^\n:]*:[^\n]*\n/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Decodes PEM like Go's encoding/pem (RFC 7468 and 1421). Text between blocks and incomplete blocks are skipped. */
export const decodePem = (text: string): PemBlock[] => [...pemBlocksOf(text)]

/** Decodes PEM like `decodePem`, block by block. */
export function* pemBlocksOf(text: string): Generator<PemBlock> {
  let end = -1
  let at = 0
  for (let found = beginningFrom(text, at); found; found = beginningFrom(text, at)) {
    const [line, type = ''] = found
    const start = found.index + line.length
    // The position of the next end is kept while it is ahead, so that many beginnings do not each search the whole
    // text.
    if (end < start) end = text.indexOf(END, start)
    if (end < 0) break
    at = start - 1 // the line break after this line may come before the next block
    // The next end has another label, so this block is incomplete.
    if (!text.startsWith(`${type}-----`, end + END.length)) continue
    const { body, hasHeaders } = withoutHeaders(text.slice(start, end))
    const encoded = body.replace(/[ \t\r\n]+/g, '')
    if (encoded.length % 4 !== 0 || !BASE64.test(encoded)) continue
    yield { type, hasHeaders, bytes: Buffer.from(encoded, 'base64') }
    at = end
  }
}

/** Finds the next beginning of a block. The caller keeps the position: it may decode another text between two blocks. */
function beginningFrom(text: string, at: number): RegExpExecArray | null {
  BEGIN.lastIndex = at
  return BEGIN.exec(text)
}

function withoutHeaders(text: string): { body: string; hasHeaders: boolean } {
  let body = text
  for (let header = HEADER.exec(body); header; header = HEADER.exec(body)) body = body.slice(header[0].length)
  return { body, hasHeaders: body.length < text.length }
}
