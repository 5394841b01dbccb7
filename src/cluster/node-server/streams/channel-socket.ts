import { type Duplex, Readable, Writable } from 'node:stream'
import type { Piece } from '../../../protocols/websocket/frame-reader.ts'
import { MessageSocket } from '../../../protocols/websocket/message-socket.ts'

/**
 * Closes a channel from version 5 of the protocol on. The byte behind it is the channel on which the client sends no
 * more.
 */
const CLOSE = 255

/**
 * Streams over one WebSocket: the first byte of each message is the channel (`channel.k8s.io`). A channel that is not
 * read holds back the others.
 */
export class ChannelSocket {
  readonly #socket: MessageSocket
  readonly #inputs = new Map<number, Readable>()
  readonly #waiting: (() => void)[] = []
  /** Aborts when the client has left. */
  readonly #left = new AbortController()
  /** Channel of the current message. Undefined before its first byte. */
  #channel: number | undefined

  constructor(socket: Duplex) {
    this.#socket = new MessageSocket(socket, {
      piece: (bytes, at) => this.#take(bytes, at),
      drained: () => {
        for (const go of this.#waiting.splice(0)) go()
      },
      ended: () => this.#end(),
    })
  }

  get left(): AbortSignal {
    return this.#left.signal
  }

  /** Begins to read. Call it when all inputs have been requested: messages on other channels are dropped. */
  start(head: Buffer): void {
    this.#socket.start(head)
  }

  /** Returns the client's data on a channel. */
  input(channel: number): Readable {
    const input = new Readable({ read: () => this.#socket.resume() })
    this.#inputs.set(channel, input)
    return input
  }

  /**
   * Returns a stream whose data is sent on a channel. It sends nothing at its end: the protocol has no such message for
   * clients. Data behind its end is dropped, such as the echo of input that is still coming.
   */
  output(channel: number): Writable {
    const lead = Buffer.from([channel])
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.#left.signal.aborted || this.#socket.send(lead, chunk)) done()
        else this.#waiting.push(done)
      },
    })
    return output.on('error', () => {})
  }

  /** Sends one message, even an empty one. */
  send(channel: number, bytes: Buffer): void {
    this.#socket.send(Buffer.from([channel]), bytes)
  }

  close(): void {
    this.#socket.close()
    this.#end()
  }

  #take(bytes: Buffer, { first, last }: Piece): void {
    let data = bytes
    if (first) this.#channel = undefined
    if (this.#channel === undefined && data.length > 0) {
      this.#channel = data[0]
      data = data.subarray(1)
    }
    if (this.#channel === CLOSE) {
      if (data.length > 0) this.#endInput(data[0] ?? 0)
    } else if (this.#channel !== undefined && data.length > 0 && this.#inputs.get(this.#channel)?.push(data) === false) this.#socket.pause()
    if (last) this.#channel = undefined
  }

  /** Ends an input. Data that the client sends on the channel nevertheless is dropped. */
  #endInput(channel: number): void {
    this.#inputs.get(channel)?.push(null)
    this.#inputs.delete(channel)
  }

  #end(): void {
    if (this.#left.signal.aborted) return
    for (const channel of [...this.#inputs.keys()]) this.#endInput(channel)
    this.#left.abort()
    for (const go of this.#waiting.splice(0)) go()
  }
}
