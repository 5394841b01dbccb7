import type { Duplex } from 'node:stream'
import type { Piece } from '../../protocols/websocket/frame-reader.ts'
import { MessageSocket } from '../../protocols/websocket/message-socket.ts'

/** Streams of a command. */
export interface CommandStreams {
  /** Whether the client's input reaches the command. */
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  /** Whether the command has a terminal, so that sizes are received. Then there is no separate stderr. */
  readonly tty: boolean
}

/**
 * Channels: the first byte of each message. https://kubernetes.io/docs/reference/using-api/api-concepts,
 * v5.channel.k8s.io.
 */
const STDIN = 0
/** Channels from the server to the client. */
export const STDOUT = 1
/** A command with a terminal does not use it. */
export const STDERR = 2
/** Channel of the result, as a Status in JSON. */
const ERROR = 3
/** Channel from the client with sizes of the terminal. */
const RESIZE = 4
/** Closes a channel. The byte behind it is the channel on which the client sends no more. */
const CLOSE = 255

/** Time without a message of either side, pings excepted, before the connection is closed, as kube-apiserver has it. */
const IDLE_MS = 4 * 60 * 60_000

/** Bytes that the client may send before the kubelet reads. Beyond, the client has to wait. */
const MAX_EARLY_BYTES = 64 * 1024

/** Messages that the client may send before the kubelet reads: even a short one costs memory. */
const MAX_EARLY_MESSAGES = 1000

/** Empty message, also for the end of the input. */
const NOTHING = Buffer.alloc(0)
/** First byte of the messages on each channel. */
const LEADS = { [STDOUT]: Buffer.from([STDOUT]), [STDERR]: Buffer.from([STDERR]), [ERROR]: Buffer.from([ERROR]) }

/** Escapes JSON as Go's encoder does. */
const goEscaped = (json: string): string => json.replace(/[&<>\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The kubelet's side of a command, which receives the client's messages. https://kep.k8s.io/4006 */
export interface CommandInput {
  /** Returns false if the client has to wait until `resume`. */
  stdin(bytes: Buffer): boolean
  /** Receives sizes of the terminal in JSON. */
  resize(bytes: Buffer): boolean
  /** Called when the client has closed the channel of the input. */
  stdinEnded(): void
  /** Called when the client reads again. */
  drained(): void
}

/** Client of a command, which speaks v5.channel.k8s.io. */
export class CommandClient {
  readonly #socket: MessageSocket
  readonly #streams: CommandStreams
  readonly #left: () => void
  readonly #idle: NodeJS.Timeout
  #isGone = false
  #input: CommandInput | undefined
  /** Messages that came before there was an input. */
  #early: ((input: CommandInput) => unknown)[] = []
  #earlyBytes = 0
  /** Channel of the current message. Undefined before its first byte. */
  #channel: number | undefined
  /** Bytes behind CLOSE. */
  #closing: Buffer = NOTHING

  /** `left`: called when the client closes, disconnects, violates the protocol, or has been idle for too long. */
  constructor(socket: Duplex, streams: CommandStreams, left: () => void, idleMs = IDLE_MS) {
    this.#streams = streams
    this.#left = left
    this.#idle = setTimeout(() => this.#close(), idleMs).unref()
    socket.once('close', () => {
      this.#isGone = true
      clearTimeout(this.#idle)
    })
    this.#socket = new MessageSocket(socket, {
      piece: (bytes, at) => this.#take(bytes, at),
      drained: () => this.#input?.drained(),
      ended: left,
    })
  }

  /** Starts reading, and sends an empty message: the client is connected. */
  start(head: Buffer): void {
    const { stdout, stderr } = this.#streams
    this.send(stdout ? STDOUT : stderr ? STDERR : ERROR, NOTHING)
    this.#socket.start(head)
  }

  /** Attaches the receiver of the client's messages, which were buffered until now. */
  attach(input: CommandInput): void {
    this.#input = input
    const early = this.#early
    this.#early = []
    let isTaken = true
    for (const give of early) isTaken = give(input) !== false && isTaken
    if (isTaken) this.#socket.resume()
  }

  /** Sends bytes. Returns false if the caller should wait until `drained`. */
  send(channel: keyof typeof LEADS, bytes: Buffer): boolean {
    this.#touch()
    return this.#socket.send(LEADS[channel], bytes)
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Sends the result of the command, and closes. */
  end(status: object): void {
    this.send(ERROR, Buffer.from(goEscaped(JSON.stringify(status))))
    this.#socket.close()
  }

  /**
   * Handles a piece of a message. Messages on unknown channels, or for streams that the command does not have, are
   * ignored.
   */
  #take(bytes: Buffer, { first, last }: Piece): void {
    this.#touch()
    if (first) this.#channel = undefined
    let rest = bytes
    if (this.#channel === undefined) {
      this.#channel = bytes[0]
      this.#closing = NOTHING
      rest = bytes.subarray(1)
    }
    const channel = this.#channel
    if (channel === CLOSE) this.#takeClose(rest, last)
    else if (rest.length > 0 && channel === STDIN && this.#streams.stdin) this.#give(rest, (input, given) => input.stdin(given))
    else if (rest.length > 0 && channel === RESIZE && this.#streams.tty) this.#give(rest, (input, given) => input.resize(given))
  }

  /**
   * Handles CLOSE, whose message has exactly one byte. Any other length, or an unknown channel, violates the protocol.
   */
  #takeClose(bytes: Buffer, last: boolean): void {
    this.#closing = Buffer.concat([this.#closing, bytes.subarray(0, 2)])
    if (!last) return
    const channel = this.#closing[0]
    if (this.#closing.length !== 1 || channel === undefined || channel > RESIZE) this.#close()
    else if (channel === STDIN && this.#streams.stdin) this.#give(NOTHING, input => input.stdinEnded())
  }

  /** Postpones the idle timeout. */
  #touch(): void {
    // Refreshing a cleared timer would start it again.
    if (!this.#isGone) this.#idle.refresh()
  }

  /** Closes the connection and reports that the client has left. */
  #close(): void {
    this.#socket.close()
    this.#left()
  }

  /**
   * Passes bytes to the kubelet's side, or buffers them until it is attached. The client is paused if they are too
   * many.
   */
  #give(bytes: Buffer, give: (input: CommandInput, bytes: Buffer) => unknown): void {
    if (this.#input !== undefined) {
      if (give(this.#input, bytes) === false) this.#socket.pause()
      return
    }
    // Copied, because a few bytes would retain a whole packet.
    const kept = Buffer.from(bytes)
    this.#early.push(input => give(input, kept))
    this.#earlyBytes += kept.length
    if (this.#earlyBytes > MAX_EARLY_BYTES || this.#early.length > MAX_EARLY_MESSAGES) this.#socket.pause()
  }
}
