import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Position of bytes in the spool file. */
export interface SpoolRange {
  /** Offset of the first byte. */
  readonly at: number
  readonly size: number
}

/** Holds values between their conversion and the import. */
export interface ValueSpool {
  /** Appends bytes and returns their position. Synchronous. */
  write(bytes: Buffer): SpoolRange
  /** Reads bytes that were written before. The caller owns the buffer. */
  read(range: SpoolRange): Buffer
}

/**
 * Temporary file for values that do not fit into memory. It is unlinked after it is opened, so that nothing is left
 * behind.
 */
export class Spool implements ValueSpool {
  readonly #fd: number
  #size = 0

  /** Creates the file in an existing private directory. Throws system errors. */
  constructor(directory: string) {
    const path = join(directory, `import-${process.pid}`)
    this.#fd = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
  }

  write(bytes: Buffer): SpoolRange {
    const at = this.#size
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written, bytes.length - written, at + written)
    this.#size += bytes.length
    return { at, size: bytes.length }
  }

  read({ at, size }: SpoolRange): Buffer {
    const bytes = Buffer.allocUnsafe(size)
    for (let got = 0; got < size; ) got += readSync(this.#fd, bytes, got, size - got, at + got)
    return bytes
  }

  /** Closes the file, whose space is then freed. */
  close(): void {
    closeSync(this.#fd)
  }
}
