import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { DialError } from '../lib/dial-error.ts'
import { errorCode } from '../lib/error-code.ts'
import { errorMessage } from '../lib/error-message.ts'

/** The body of a response could not be read. As client-go reports it, without the URL. */
export class BodyError extends DialError {
  constructor(why: string) {
    super(`unexpected error when reading response body. Please retry. Original error: ${why}`)
  }
}

/**
 * Returns the body of a response as Go's client reads it: decompressed if its encoding is `gzip`. Throws a BodyError if
 * the compressed data is malformed.
 */
export function plainBody(response: IncomingMessage): AsyncIterable<Buffer> {
  return response.headers['content-encoding']?.toLowerCase() === 'gzip' ? unzipped(response) : response
}

/** Decompresses a body. A truncated or corrupt one is a BodyError. */
async function* unzipped(response: IncomingMessage): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const plain = pipeline(response, gunzip, () => {})
  try {
    for await (const chunk of plain) yield chunk
  } catch (error) {
    // Go treats an empty stream as an empty body.
    if (gunzip.bytesWritten === 0 && errorCode(error) === 'Z_BUF_ERROR') return
    const fault = zlibFault(error)
    throw fault === undefined ? error : new BodyError(fault)
  }
}

/** Maps a zlib error to Go's message. Undefined for other errors. */
function zlibFault(error: unknown): string | undefined {
  const code = errorCode(error)
  if (code === 'Z_BUF_ERROR') return 'unexpected EOF'
  if (code !== 'Z_DATA_ERROR') return undefined
  return errorMessage(error) === 'incorrect header check' ? 'gzip: invalid header' : 'gzip: invalid checksum'
}
