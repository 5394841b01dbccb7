import type { Writable } from 'node:stream'

type PendingWrite = { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }
type Done = (error?: Error | null) => void

/**
 * Up to this length, Node encrypts into buffers of one TLS record. For a longer write it allocates a buffer of the
 * write's length.
 */
const SHORT_WRITE = 16 * 1024 - 1
/** Bytes of such buffers that all connections of a port may keep. */
const BUDGET = 8 << 20

/**
 * Returns a function that limits the length of a socket's writes, by the number of open sockets. Node's TLS sockets
 * keep the buffer of their longest write until they are closed: a thousand that have written 128 KiB once keep 130 MB.
 * With few sockets longer writes are allowed, because fewer writes are faster.
 */
export function writeBounds(budget = BUDGET): (socket: Writable) => void {
  let open = 0
  const most = (): number => Math.max(SHORT_WRITE, Math.floor(budget / open))
  return socket => {
    open++
    socket.once('close', () => open--)
    boundWrites(socket, most)
  }
}

/**
 * Replaces the methods by which the stream passes its bytes on, so that all writes, queued ones included, have at most
 * `most` bytes.
 */
function boundWrites(socket: Writable, most: () => number): void {
  const write = socket._write.bind(socket)
  const writev = socket._writev?.bind(socket)
  socket._write = (chunk: Buffer | string, encoding, done) => {
    const parts = Math.ceil(chunk.length / most())
    if (typeof chunk === 'string' || parts <= 1) return write(chunk, encoding, done)
    const bytes = Math.ceil(chunk.length / parts)
    let at = 0
    const next: Done = error => {
      if (error || at >= chunk.length) return done(error)
      const part = chunk.subarray(at, at + bytes)
      at += bytes
      write(part, encoding, next)
    }
    next()
  }
  if (writev === undefined) return
  socket._writev = (entries: PendingWrite[], done) => {
    let from = 0
    const next: Done = error => {
      if (error || from >= entries.length) return done(error)
      const to = endOfPart(entries, from, most())
      const part = to - from === entries.length ? entries : entries.slice(from, to)
      from = to
      const [first] = part
      if (part.length === 1 && first !== undefined) socket._write(first.chunk, first.encoding, next)
      else writev(part, next)
    }
    next()
  }
}

/** Returns the index of the first entry after `from` that no longer fits. */
function endOfPart(entries: readonly PendingWrite[], from: number, most: number): number {
  let to = from
  for (let bytes = 0; to < entries.length; to++) {
    bytes += entries[to]?.chunk.length ?? 0
    if (bytes > most && to > from) break
  }
  return to
}
