import { type Duplex, PassThrough } from 'node:stream'
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib'

/** zlib makes each output chunk on another thread, which costs as much as some kilobytes. */
const LARGE = { chunkSize: 64 * 1024 }

/** Content coding of a page. */
export interface Coding {
  /** Reports whether a body with this beginning can be in the coding. Some servers send another one. */
  fits(first: Buffer): boolean
  decoder(): Duplex
  encoder(): Duplex
}

/** No coding. */
export const PLAIN: Coding = {
  fits: () => true,
  decoder: () => new PassThrough(),
  encoder: () => new PassThrough(),
}

const CODINGS: Readonly<Record<string, Coding>> = {
  '': PLAIN,
  gzip: {
    fits: first => first[0] === 0x1f && (first.length === 1 || first[1] === 0x8b),
    decoder: () => createGunzip(LARGE),
    encoder: () => createGzip(),
  },
  // RFC 9110 defines `deflate` as the zlib format, which is passed unchanged. Go's servers send raw DEFLATE.
  deflate: {
    fits: first => ((first[0] ?? 0) & 0xf) !== 8,
    decoder: () => createInflateRaw(LARGE),
    encoder: () => createDeflateRaw(),
  },
}

/** Returns the coding of a Content-Encoding. Undefined if it is unknown. */
export const codingOf = (name: string): Coding | undefined => (Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined)
