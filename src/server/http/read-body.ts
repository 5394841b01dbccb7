import { badRequestError, type StatusError, tooLargeError } from '../../meta/status.ts'
import type { AnyRequest } from './any-http.ts'

/**
 * Reads the whole body of a request. Rejects with 413 as soon as the body is known to be longer than `limit` bytes,
 * with 400 if it breaks off, and with the reason that the listener of `onAbort` is called with.
 */
export function readBody(req: AnyRequest, limit: number, onAbort: (listener: (reason: StatusError) => void) => void): Promise<Buffer> {
  const declared = req.headers['content-length']
  if (declared !== undefined && Number(declared) > limit) return Promise.reject(tooLarge(limit))
  return new Promise((resolve, reject) => {
    const chunks = new Chunks()
    let length = 0
    const take = (chunk: Buffer): void => {
      length += chunk.length
      if (length > limit) {
        stop()
        reject(tooLarge(limit))
      } else chunks.push(chunk)
    }
    const done = (): void => {
      stop()
      resolve(chunks.joined(length))
    }
    const broken = (): void => {
      stop()
      reject(badRequestError('unexpected EOF'))
    }
    const stop = (): void => {
      req.off('data', take).off('end', done).off('error', broken).off('close', broken)
    }
    req.on('data', take).on('end', done).on('error', broken).on('close', broken)
    onAbort(reason => {
      stop()
      reject(reason)
    })
  })
}

/**
 * Smaller chunks are copied into pages: a buffer for each byte of a body would take a hundred times the body's memory.
 */
const SMALL_BYTES = 1024
const PAGE_BYTES = 16 * 1024

/** The chunks of a body. Their memory is proportional to their bytes, not to their number. */
class Chunks {
  readonly #whole: Buffer[] = []
  #page: Buffer | undefined
  #filled = 0

  /** Adds a chunk. A single chunk, or one of SMALL_BYTES and more, is kept without a copy. */
  push(chunk: Buffer): void {
    if (this.#whole.length === 0 && this.#page === undefined) this.#whole.push(chunk)
    else if (chunk.length < SMALL_BYTES) this.#copy(chunk)
    else {
      this.#closePage()
      this.#whole.push(chunk)
    }
  }

  #copy(chunk: Buffer): void {
    if (this.#page !== undefined && this.#filled + chunk.length > PAGE_BYTES) this.#closePage()
    this.#page ??= Buffer.allocUnsafe(PAGE_BYTES)
    this.#filled += chunk.copy(this.#page, this.#filled)
  }

  #closePage(): void {
    if (this.#page === undefined) return
    this.#whole.push(this.#page.subarray(0, this.#filled))
    this.#page = undefined
    this.#filled = 0
  }

  /** Returns the whole body. `length`: sum of all chunks. */
  joined(length: number): Buffer {
    this.#closePage()
    const [first] = this.#whole
    return this.#whole.length === 1 && first !== undefined ? first : Buffer.concat(this.#whole, length)
  }
}

const tooLarge = (limit: number): StatusError => tooLargeError(`limit is ${limit}`)
