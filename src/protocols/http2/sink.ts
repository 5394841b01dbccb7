import { Writable } from 'node:stream'

/** The part of an answer's stream that a sink needs. */
export interface SinkTarget {
  write(chunk: Buffer): boolean
  end(): void
  destroy(): void
  onClose(listener: () => void): void
  onDrain(listener: () => void): void
}

/** An answer's body as a stream. Broken off, it takes the answer with it, and the other way about. */
export function sinkOf(answer: SinkTarget): Writable {
  let over = false
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (answer.write(chunk)) done()
      else answer.onDrain(done)
    },
    final: done => {
      over = true
      answer.end()
      done()
    },
    destroy: (error, done) => {
      if (!over) answer.destroy()
      done(error)
    },
  })
  answer.onClose(() => {
    if (!over) sink.destroy(new Error('the client has gone'))
  })
  return sink
}
