import { Writable } from 'node:stream'

/** The part of a response stream that a sink uses. */
export interface SinkTarget {
  /** Returns false if the caller should wait for `onDrain`. */
  write(chunk: Buffer): boolean
  /** Ends the response after everything that was written. */
  end(): void
  /** Ends the response at once. The client sees that it is incomplete. */
  destroy(): void
  /** Calls the listener once the stream has closed, also if it has closed before. */
  onClose(listener: () => void): void
  /** Calls the listener once, when the buffer has drained. */
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
