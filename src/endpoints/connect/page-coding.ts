import { pipeline } from 'node:stream/promises'
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw, type Gunzip, type Gzip } from 'node:zlib'

type ZlibStream = Gzip | Gunzip

/** How the body of a page is encoded. Both are omitted if it is not. */
export interface Coding {
  readonly decoder?: () => ZlibStream
  readonly encoder?: () => ZlibStream
}

const CODINGS: Readonly<Record<string, Coding>> = {
  '': {},
  gzip: { decoder: () => createGunzip(), encoder: () => createGzip() },
  deflate: { decoder: () => createInflateRaw(), encoder: () => createDeflateRaw() },
}

/** The coding of a value of Content-Encoding; undefined if it is unknown. */
export const codingOf = (name: string): Coding | undefined => (Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined)

/** The output of a stream of zlib, in parts, each of which is made on another thread. Throws if the input is corrupt, or the output longer than `maxBytes`: it is not read further then. */
export async function transformed(parts: readonly Buffer[], stream: ZlibStream, maxBytes: number): Promise<Buffer[]> {
  const out: Buffer[] = []
  let length = 0
  await pipeline(parts, stream, async (output: AsyncIterable<Buffer>) => {
    for await (const part of output) {
      length += part.length
      if (length > maxBytes) throw new RangeError('the page is too long')
      out.push(part)
    }
  })
  return out
}
