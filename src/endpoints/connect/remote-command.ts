import type { Duplex } from 'node:stream'
import { type OpenStream, SpdyConnection, type StreamSink } from '../../protocols/spdy/connection.ts'
import { type CommandClient, type CommandStreams, STDERR, STDOUT } from './command-client.ts'
import { type CommandOutcome, type CommandProtocol, failed, SUCCEEDED } from './remote-command-outcome.ts'

/** Milliseconds between two pings to the kubelet. */
const PING_MS = 5_000

/** Maximum bytes of the kubelet's error stream. */
const MAX_ERROR_BYTES = 64 * 1024

/**
 * A command that a kubelet runs over SPDY streams for a client on a WebSocket. Both directions are paced by their
 * reader.
 */
export class RemoteCommand {
  readonly #client: CommandClient
  readonly #streams: CommandStreams
  readonly #protocol: CommandProtocol
  readonly #kubelet: SpdyConnection
  readonly #errors: Buffer[] = []
  #errorBytes = 0
  /** Streams of the kubelet that end before the command does. */
  #running = 0
  #opened = false
  #errorsEnded = false
  #end: (outcome: CommandOutcome) => void = () => {}
  #stdin: OpenStream | undefined

  constructor(client: CommandClient, streams: CommandStreams, protocol: CommandProtocol, socket: Duplex) {
    this.#client = client
    this.#streams = streams
    this.#protocol = protocol
    this.#kubelet = new SpdyConnection(socket, { drained: () => client.resume(), ended: fault => this.#lost(fault) })
  }

  /**
   * Runs the command. Resolves when it has ended, or the kubelet or the client has disconnected; the connection to the
   * kubelet is closed then. `head`: bytes behind the kubelet's response. Never rejects.
   */
  async run(head: Buffer, signal: AbortSignal): Promise<CommandOutcome> {
    const ended = new Promise<CommandOutcome>(resolve => {
      this.#end = resolve
    })
    const left = (): void => this.#end(failed('context canceled'))
    if (signal.aborted) left()
    signal.addEventListener('abort', left, { once: true })
    const pings = setInterval(() => this.#kubelet.ping(), PING_MS).unref()
    this.#kubelet.start(head)
    this.#begin().catch((error: Error) => this.#end(failed(error.message)))
    const outcome = await ended
    clearInterval(pings)
    signal.removeEventListener('abort', left)
    this.#stdin?.end()
    this.#kubelet.close()
    return outcome
  }

  /** Opens the streams. The kubelet waits for all of them before it begins, so nothing is sent before. */
  async #begin(): Promise<void> {
    const { stdin, stdout, stderr, tty } = this.#streams
    await this.#openErrors()
    if (stdin) this.#stdin = await this.#openStdin()
    if (stdout) await this.#openOutput('stdout', STDOUT)
    if (stderr && !tty) await this.#openOutput('stderr', STDERR)
    const resize = tty && this.#protocol.resizes ? await this.#open('resize', { data: () => {}, ended: () => {} }) : undefined
    this.#opened = true
    this.#endWhenDone()
    this.#client.attach({
      stdin: bytes => this.#stdin?.write(bytes) ?? true,
      stdinEnded: () => this.#stdin?.end(),
      resize: bytes => resize?.write(bytes) ?? true,
      drained: () => this.#kubelet.resume(),
    })
  }

  #open(streamType: string, sink: StreamSink): Promise<OpenStream> {
    return this.#kubelet.open([['streamtype', streamType]], sink)
  }

  /** Opens the error stream, which carries the result. Version 1 of the protocol does not end it. */
  #openErrors(): Promise<OpenStream> {
    const counts = this.#protocol.endsErrors
    if (counts) this.#running++
    const ended = (): void => {
      this.#errorsEnded = true
      if (counts) this.#oneEnded()
    }
    return this.#open('error', { data: bytes => this.#takeError(bytes), ended })
  }

  /** Opens stdin. If the kubelet ends it because it reads no more, the stream is ended here as well. */
  async #openStdin(): Promise<OpenStream> {
    let isOver = false
    const ended = (): void => {
      isOver = true
      this.#stdin?.end()
    }
    const stream = await this.#open('stdin', { data: () => {}, ended })
    if (isOver) stream.end()
    return stream
  }

  /** Opens stdout or stderr. The kubelet is paused while the client does not read. */
  #openOutput(streamType: string, channel: typeof STDOUT | typeof STDERR): Promise<OpenStream> {
    this.#running++
    const data = (bytes: Buffer): void => {
      if (!this.#client.send(channel, bytes)) this.#kubelet.pause()
    }
    return this.#open(streamType, { data, ended: () => this.#oneEnded() })
  }

  #oneEnded(): void {
    this.#running--
    this.#endWhenDone()
  }

  #endWhenDone(): void {
    if (this.#opened && this.#running === 0) this.#end(this.#outcome())
  }

  /** Buffers the beginning of the error stream. In version 1, any bytes on it end the command. */
  #takeError(bytes: Buffer): void {
    this.#errorBytes += bytes.length
    if (this.#errorBytes <= MAX_ERROR_BYTES) this.#errors.push(bytes)
    if (!this.#protocol.endsErrors) this.#end(this.#outcome())
  }

  #outcome(): CommandOutcome {
    return this.#errorBytes === 0 ? SUCCEEDED : this.#protocol.outcome(Buffer.concat(this.#errors).toString())
  }

  /**
   * Handles the end of the kubelet's connection, which ends all open streams. The result of the command is unknown if
   * the kubelet neither sent it nor closed the connection in order. A result may come together with the reply that opens
   * the last stream.
   */
  #lost(fault: string | undefined): void {
    if (this.#errorBytes > 0) this.#end(this.#outcome())
    else if (!this.#opened) this.#end(failed(fault ?? 'connection closed'))
    else if (fault !== undefined && !this.#errorsEnded) this.#end(failed(`error reading from error stream: ${fault}`))
    else this.#end(this.#outcome())
  }
}
