import type { Duplex } from 'node:stream'
import { type OpenStream, SpdyConnection, type StreamSink } from '../../protocols/spdy/connection.ts'
import { type CommandClient, type CommandStreams, STDERR, STDOUT } from './command-client.ts'
import { type CommandOutcome, type CommandProtocol, failed, SUCCEEDED } from './remote-command-outcome.ts'

/** So often the kubelet is asked for a sign of life. */
const PING_MS = 5_000

/** Of what the kubelet says on the error stream. */
const MAX_ERROR_BYTES = 64 * 1024

/** A command that a kubelet runs, on streams of SPDY, for a client on a WebSocket. Bytes go both ways at the pace of who reads. */
export class RemoteCommand {
  readonly #client: CommandClient
  readonly #streams: CommandStreams
  readonly #protocol: CommandProtocol
  readonly #kubelet: SpdyConnection
  readonly #errors: Buffer[] = []
  #errorBytes = 0
  /** Streams of the kubelet that have to end before the command has. */
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

  /** Resolves when the command has ended, or the kubelet or the client has gone; the connection to the kubelet is over then. `head` is what came behind the kubelet's answer. Never rejects. */
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

  /** The kubelet waits for all streams before it begins, so that nothing is sent on one before. */
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

  #openErrors(): Promise<OpenStream> {
    const counts = this.#protocol.endsErrors
    if (counts) this.#running++
    const ended = (): void => {
      this.#errorsEnded = true
      if (counts) this.#oneEnded()
    }
    return this.#open('error', { data: bytes => this.#takeError(bytes), ended })
  }

  /** Its end by the kubelet, which reads no more, is answered. */
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

  #takeError(bytes: Buffer): void {
    this.#errorBytes += bytes.length
    if (this.#errorBytes <= MAX_ERROR_BYTES) this.#errors.push(bytes)
    if (!this.#protocol.endsErrors) this.#end(this.#outcome())
  }

  #outcome(): CommandOutcome {
    return this.#errorBytes === 0 ? SUCCEEDED : this.#protocol.outcome(Buffer.concat(this.#errors).toString())
  }

  /** The connection to the kubelet is over, and what is open on it ends next. How the command ended is not known where the kubelet has neither said so nor left in good order. */
  #lost(fault: string | undefined): void {
    if (!this.#opened) this.#end(failed(fault ?? 'connection closed'))
    else if (fault !== undefined && !this.#errorsEnded && this.#errorBytes === 0) this.#end(failed(`error reading from error stream: ${fault}`))
    else this.#end(this.#outcome())
  }
}
