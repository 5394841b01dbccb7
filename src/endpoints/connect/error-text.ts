import type { Readable } from 'node:stream'

/** Of the body of an error. */
const MAX_ERROR_BYTES = 50_000

/** How much of the body of a refusal an error quotes. */
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
