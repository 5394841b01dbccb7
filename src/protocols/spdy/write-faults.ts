import type { Duplex } from 'node:stream'

/** Internal state by which Node decides how to handle a failed socket. Its types do not declare it. */
interface WithStates {
  readonly _readableState?: { autoDestroy: boolean; errored: Error | null; errorEmitted: boolean }
  readonly _writableState?: { autoDestroy: boolean }
}

/**
 * Allows a connection to be read to its end after writing to it has failed. Node would destroy it, with data that has
 * already arrived. Read errors destroy it as usual, and are passed to `failed`. The caller must destroy the connection
 * when it has ended.
 */
export function outliveWriteFaults(socket: Duplex, failed: (error: Error) => void): void {
  const { _readableState: readable, _writableState: writable } = socket as WithStates
  if (readable !== undefined) readable.autoDestroy = false
  if (writable !== undefined) writable.autoDestroy = false
  socket.on('error', error => {
    if (!isWriteFault(error)) return failed(error)
    if (readable === undefined) return
    // Otherwise neither data nor the end would be emitted.
    readable.errored = null
    readable.errorEmitted = false
  })
}

/** Reports whether the other side has stopped reading. It may have sent data before. */
function isWriteFault(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || (error.code === 'ECONNRESET' && error.syscall === 'write')
}
