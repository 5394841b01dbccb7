import { badRequestError, type StatusError, tooLargeError } from '../meta/status.ts'
import type { AnyRequest } from './any-http.ts'

/**
 * Collects a request's body. Throws 413 as soon as it is known to be longer than `limit` bytes, 400 where it breaks off, and what `onAbort` is called with where
 * the request ends otherwise.
 */
export function readBody(req: AnyRequest, limit: number, onAbort: (listener: (reason: StatusError) => void) => void): Promise<Buffer> {
  const declared = req.headers['content-length']
  if (declared !== undefined && Number(declared) > limit) return Promise.reject(tooLarge(limit))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
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
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length))
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

const tooLarge = (limit: number): StatusError => tooLargeError(`limit is ${limit}`)
