import type { Writable } from 'node:stream'

type Entry = { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }
type Done = (error?: Error | null) => void

/** Up to here Node encrypts into buffers of one TLS record; for a longer write it allocates a buffer as long as the write. */
const SHORT_WRITE = 16 * 1024 - 1
/** Of what the connections of a port may keep of such buffers. */
const BUDGET = 8 << 20

/**
 * Bounds the writes of the sockets that it is given, by how many of them are open. A TLS socket of Node keeps the buffer of its longest write until it is closed: a thousand that have once written 128 KiB keep
 * 130 MB. A few may keep that, and need fewer writes.
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

/** Takes the place of the methods with which the stream hands on its bytes: whoever writes, and whatever had to wait, goes on in writes of `most` bytes. */
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
  socket._writev = (entries: Entry[], done) => {
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

/** The first entry after `from` that no longer fits. */
function endOfPart(entries: readonly Entry[], from: number, most: number): number {
  let to = from
  for (let bytes = 0; to < entries.length; to++) {
    bytes += entries[to]?.chunk.length ?? 0
    if (bytes > most && to > from) break
  }
  return to
}
