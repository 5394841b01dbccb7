import { type Duplex, PassThrough } from 'node:stream'
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib'

/** Each part of an output is made on another thread, which costs as much as some kilobytes. */
const LARGE = { chunkSize: 64 * 1024 }

/** How the body of a page is encoded. */
export interface Coding {
  /** Whether a body that begins so can be in the coding: some servers send something else. */
  fits(first: Buffer): boolean
  decoder(): Duplex
  encoder(): Duplex
}

/** A body as it is. */
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
  // RFC 9110 means the format of zlib, which is passed as it is; Go's servers send bare DEFLATE.
  deflate: {
    fits: first => ((first[0] ?? 0) & 0xf) !== 8,
    decoder: () => createInflateRaw(LARGE),
    encoder: () => createDeflateRaw(),
  },
}

/** The coding of a value of Content-Encoding; undefined if it is unknown. */
export const codingOf = (name: string): Coding | undefined => (Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined)
