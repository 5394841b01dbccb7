import type { Readable } from 'node:stream'

/** Maximum bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 50_000

/** Returns the beginning of a refusal's body, which the error quotes. */
export async function errorText(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  const received: AsyncIterable<Buffer> = body
  for await (const chunk of received) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= MAX_ERROR_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString()
}
