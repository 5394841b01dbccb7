import { Readable } from 'node:stream'

/**
 * The bytes of a stream, with all that has come by the end of a callback of the event loop in one piece: a body in chunks of one byte is passed on in pieces of some kilobytes, and each write of its own would
 * cost ten times as much as the chunk. Nothing is held back longer than that. Errors and ends of either stream are those of the other.
 */
export function gatheredStream(source: Readable): Readable {
  const pull = (): void => {
    // By its length: from Node 26 on, a read without one takes the first chunk alone.
    const bytes: unknown = source.readableLength > 0 ? source.read(source.readableLength) : source.read()
    if (bytes !== null) gathered.push(bytes)
    else isPulling = true
  }
  let isPulling = false
  const gathered = new Readable({
    read: pull,
    destroy(error, done) {
      source.destroy(error ?? undefined)
      done(error)
    },
  })
  const closed = (): void => {
    if (!source.readableEnded && !gathered.destroyed) gathered.destroy(new Error('the source closed before its end'))
  }
  source
    .on('readable', () => {
      if (!isPulling) return
      isPulling = false
      pull()
    })
    .once('end', () => gathered.push(null))
    .on('error', error => gathered.destroy(error))
    .once('close', closed)
  if (source.destroyed) closed()
  return gathered
}
