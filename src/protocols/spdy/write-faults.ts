import type { Duplex } from 'node:stream'

/** What Node decides by when one side of a connection fails. Its types do not have it. */
interface WithStates {
  readonly _readableState?: { autoDestroy: boolean; errored: Error | null; errorEmitted: boolean }
  readonly _writableState?: { autoDestroy: boolean }
}

/**
 * Lets a connection to which nothing can be written any more be read to its end, where Node would destroy it with what has come already. Errors of reading destroy it as ever: `failed` is
 * told of those. The caller destroys the connection when it has ended.
 */
export function outliveWriteFaults(socket: Duplex, failed: (error: Error) => void): void {
  const { _readableState: readable, _writableState: writable } = socket as WithStates
  if (readable !== undefined) readable.autoDestroy = false
  if (writable !== undefined) writable.autoDestroy = false
  socket.on('error', error => {
    if (!isWriteFault(error)) return failed(error)
    if (readable === undefined) return
    // Or there would be neither data nor an end.
    readable.errored = null
    readable.errorEmitted = false
  })
}

/** The other side reads no more; it may have said something before. */
function isWriteFault(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || (error.code === 'ECONNRESET' && error.syscall === 'write')
}
