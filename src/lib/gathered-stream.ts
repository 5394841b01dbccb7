import { Readable } from 'node:stream'

/**
 * Returns a stream with the bytes of another, joining all that arrive within one callback of the event loop: a body in
 * chunks of one byte is passed on in pieces of some kilobytes, where a write per chunk would cost ten times as much as
 * the chunk. Bytes are not delayed further. Errors and ends of either stream are passed to the other.
 */
export function gatheredStream(source: Readable): Readable {
  const pull = (): void => {
    // The length is passed because from Node 26 on, a read without it returns only the first chunk.
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
