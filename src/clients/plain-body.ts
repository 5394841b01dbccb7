import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { DialError } from '../lib/dial-error.ts'
import { errorCode } from '../lib/error-code.ts'
import { errorMessage } from '../lib/error-message.ts'

/** A response's body could not be read. As client-go reports it, without the URL. */
export class BodyError extends DialError {
  constructor(why: string) {
    super(`unexpected error when reading response body. Please retry. Original error: ${why}`)
  }
}

/** The body of a response as Go's client reads it: decompressed if it has the content encoding `gzip`. Throws a BodyError if the compressed text is malformed. */
export function plainBody(response: IncomingMessage): AsyncIterable<Buffer> {
  return response.headers['content-encoding']?.toLowerCase() === 'gzip' ? unzipped(response) : response
}

async function* unzipped(response: IncomingMessage): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const plain = pipeline(response, gunzip, () => {})
  try {
    for await (const chunk of plain) yield chunk
  } catch (error) {
    // Nothing at all is an empty body to Go.
    if (gunzip.bytesWritten === 0 && errorCode(error) === 'Z_BUF_ERROR') return
    const fault = faultOf(error)
    throw fault === undefined ? error : new BodyError(fault)
  }
}

/** What Go calls an error of zlib; undefined for any other error. */
function faultOf(error: unknown): string | undefined {
  const code = errorCode(error)
  if (code === 'Z_BUF_ERROR') return 'unexpected EOF'
  if (code !== 'Z_DATA_ERROR') return undefined
  return errorMessage(error) === 'incorrect header check' ? 'gzip: invalid header' : 'gzip: invalid checksum'
}
