/** One block of RFC 7468. */
export interface PemBlock {
  /** `CERTIFICATE`, `CERTIFICATE REQUEST` … */
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

/** The first line of a block, at the start of a line; spaces, tabs and a carriage return may follow it. */
const BEGIN = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n/g
const END = '-----END '
/** A line of a header as RFC 1421 has it, such as `Proc-Type: 4,ENCRYPTED`. */
const HEADER = /^[^\n:]*:[^\n]*\n/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** RFC 7468 and 1421, as Go's encoding/pem reads them: what is between the blocks, and blocks that are not whole, are passed over. */
export function decodePem(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let end = -1
  BEGIN.lastIndex = 0
  for (let found = BEGIN.exec(text); found; found = BEGIN.exec(text)) {
    const [, type = ''] = found
    const start = BEGIN.lastIndex
    // The end that was found is kept while it lies ahead, so that many beginnings do not each search the whole text.
    if (end < start) end = text.indexOf(END, start)
    if (end < 0) break
    BEGIN.lastIndex = start - 1 // the line break after this line may come before the next block
    // The next end belongs to another type: this block is not whole.
    if (!text.startsWith(`${type}-----`, end + END.length)) continue
    const { body, hasHeaders } = withoutHeaders(text.slice(start, end))
    const encoded = body.replace(/[ \t\r\n]+/g, '')
    if (encoded.length % 4 !== 0 || !BASE64.test(encoded)) continue
    blocks.push({ type, hasHeaders, bytes: Buffer.from(encoded, 'base64') })
    BEGIN.lastIndex = end
  }
  return blocks
}

function withoutHeaders(text: string): { body: string; hasHeaders: boolean } {
  let body = text
  for (let header = HEADER.exec(body); header; header = HEADER.exec(body)) body = body.slice(header[0].length)
  return { body, hasHeaders: body.length < text.length }
}
