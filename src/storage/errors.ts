import { BackendError } from './backend.ts'
import type { Key, Revision } from './revision.ts'
import { StorageError } from './storage.ts'

/** Translates a BackendError into a StorageError. Returns any other value unchanged. */
export function toStorageError(error: unknown, context: { key?: Key } = {}): unknown {
  if (!(error instanceof BackendError)) return error
  const { message, compactRevision } = error
  const options = { cause: error, ...(context.key !== undefined && { key: context.key }) }
  switch (error.code) {
    case 'compacted':
      return new StorageError('expired', message, { ...options, ...(compactRevision !== undefined && { revision: compactRevision }) })
    case 'future':
      return new StorageError('too large revision', message, options)
    case 'unavailable':
    case 'denied':
      return new StorageError('unavailable', message, options)
    case 'timeout':
      return new StorageError('timeout', message, options)
    case 'aborted':
      return new StorageError('timeout', 'the request ended before the store responded', options)
    case 'too large':
    case 'corrupt':
    case 'no space':
      return new StorageError(error.code, message, options)
  }
}

/** Awaits a backend call and translates its failure. */
export async function translated<T>(call: Promise<T>, context: { key?: Key } = {}): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw toStorageError(error, context)
  }
}

/** Error of a wait in this layer that was ended by a signal. */
export const abortedError = (signal: AbortSignal): StorageError =>
  new StorageError('timeout', 'the request ended before the store responded', { cause: signal.reason })

/**
 * Error of a cache without initial state. As upstream, Retry-After grows with the time that the cache has been
 * initializing, up to 30 s.
 */
export const initializing = (forMs: number): StorageError =>
  new StorageError('initializing', 'storage is (re)initializing', {
    retryAfterSeconds: Math.floor(Math.min(30, Math.exp((0.06 * forMs) / 1000))),
  })

/** Error of a read at a revision that was not reached in time. `current` is the newest known revision. */
export const tooLargeRevision = (wanted: Revision, current: Revision): StorageError =>
  new StorageError('too large revision', `revision ${wanted} has not come, current: ${current}`, { revision: current })
