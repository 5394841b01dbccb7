import { Writable } from 'node:stream'

/** The part of a response stream that a sink uses. */
export interface SinkTarget {
  write(chunk: Buffer): boolean
  end(): void
  destroy(): void
  onClose(listener: () => void): void
  onDrain(listener: () => void): void
}

/** Returns a Writable for the body of a response. Destroying either destroys the other. */
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
