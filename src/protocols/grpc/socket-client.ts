import { Socket } from 'node:net'
import { onAbort } from '../../lib/on-abort.ts'
import { pause } from '../../lib/pause.ts'
import { USER_AGENT } from '../../lib/user-agent.ts'
import { type CallFailure, callFailureOf, Status } from './call-failure.ts'
import { late } from './unary.ts'
import { UnaryConnection, type UnaryOptions } from './unary-connection.ts'

/** Called after each call, with its gRPC method, its duration and the name of its status. */
export type CallObserver = (method: string, seconds: number, status: string) => void

export interface SocketClientOptions {
  /** Path of the socket. A path that begins with `@` is in the abstract namespace and has no file. */
  readonly path: string
  /** Maximum size of a response, in bytes. */
  readonly maxResponseBytes: number
  readonly observer: CallObserver
}

/** A failed call, with the message of grpc-go. `status` is the name of its code. */
export class SocketCallError extends Error {
  override readonly name = 'SocketCallError'
  readonly status: string

  constructor(status: string, details: string) {
    super(`rpc error: code = ${status} desc = ${details}`)
    this.status = status
  }
}

const CODES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
]
/** Time limit for connecting and the first frame of the server. */
const OPENING_MS = 20_000
/** Pauses between attempts to connect: the first one after an open connection, and the longest. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1000
const CLOSING = 'grpc: the client connection is closing'

/**
 * Calls a server on a unix socket, over one connection. Calls wait for a server that is not available, until their
 * deadline.
 */
export class SocketClient {
  readonly #options: SocketClientOptions
  readonly #closed = new AbortController()
  #connection: UnaryConnection | undefined
  /** Connection attempt in progress, shared by all waiting calls. */
  #attempt: Promise<void> | undefined
  #pauseMs = FIRST_PAUSE_MS

  constructor(options: SocketClientOptions) {
    this.#options = options
  }

  /**
   * Calls a method and resolves to the decoded response. Rejects with a SocketCallError, by the deadline at the latest.
   */
  async call<T>(method: string, request: Buffer, timeoutMs: number, decode: (message: Buffer) => T): Promise<T> {
    const { observer } = this.#options
    const begun = performance.now()
    const observe = (status: string): void => observer(method, (performance.now() - begun) / 1000, status)
    try {
      const response = decodeMessage(
        await this.#call(method, request, { deadline: Date.now() + timeoutMs, signal: this.#closed.signal }),
        decode,
      )
      observe('OK')
      return response
    } catch (thrown) {
      const error = thrown instanceof SocketCallError ? thrown : this.#errorOf(callFailureOf(thrown))
      observe(error.status)
      throw error
    }
  }

  close(): void {
    this.#closed.abort()
    this.#connection?.close()
  }

  async #call(method: string, request: Buffer, options: UnaryOptions): Promise<Buffer> {
    for (;;) {
      const connection = await this.#open(options)
      try {
        const response = await connection.call(method, request, options)
        if (response !== undefined) return response
      } catch (thrown) {
        if (callFailureOf(thrown).unsent !== true) throw thrown
      }
      // The server is closing the connection, or refuses calls.
      await this.#rest(options)
    }
  }

  /** Returns an open connection. Rejects when the deadline passes. */
  async #open(options: UnaryOptions): Promise<UnaryConnection> {
    for (;;) {
      if (this.#connection?.state === 'open') return this.#connection
      this.#attempt ??= this.#connect().finally(() => {
        this.#attempt = undefined
      })
      await inTime(this.#attempt, options)
    }
  }

  /** Opens a connection. Resolves when it is open, or after the pause that follows a failed attempt. */
  async #connect(): Promise<void> {
    const { path, maxResponseBytes } = this.#options
    const socket = await dial(path, this.#closed.signal)
    if (socket !== undefined) {
      const peer = { authority: 'localhost', secure: false, userAgent: USER_AGENT }
      this.#connection = new UnaryConnection(socket, peer, { maxMessageBytes: maxResponseBytes })
      await this.#connection.opened
      if (this.#connection.state === 'open') {
        this.#pauseMs = FIRST_PAUSE_MS
        return
      }
    }
    await pause(this.#pauseMs, this.#closed.signal)
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
  }

  #rest(options: UnaryOptions): Promise<void> {
    return inTime(pause(FIRST_PAUSE_MS, this.#closed.signal), options)
  }

  /** Converts a failure. A code that gRPC does not define becomes `Unknown`, because the status is a metric label. */
  #errorOf({ code, details, message }: CallFailure): SocketCallError {
    if (this.#closed.signal.aborted) return new SocketCallError('Canceled', CLOSING)
    if (code === Status.DEADLINE_EXCEEDED) return new SocketCallError('DeadlineExceeded', 'context deadline exceeded')
    return new SocketCallError(CODES[code ?? Status.UNKNOWN] ?? 'Unknown', details ?? message)
  }
}

function decodeMessage<T>(message: Buffer, decode: (message: Buffer) => T): T {
  try {
    return decode(message)
  } catch {
    throw new SocketCallError('Internal', 'grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data')
  }
}

/** Returns a connected socket with a timeout, or undefined if connecting failed. */
function dial(path: string, signal: AbortSignal): Promise<Socket | undefined> {
  return new Promise(resolve => {
    const socket = new Socket({ signal })
    socket
      .setTimeout(OPENING_MS, () => socket.destroy())
      .on('error', () => {})
      .once('close', () => resolve(undefined))
      .once('connect', () => resolve(socket))
    try {
      // An abstract socket's name begins with a zero byte.
      socket.connect(path.startsWith('@') ? `\0${path.slice(1)}` : path)
    } catch {
      // The path is too long or otherwise invalid.
      socket.destroy()
    }
  })
}

/** Rejects with a CallFailure if the deadline passes or the signal aborts before the work is done. */
function inTime(work: Promise<unknown>, { deadline, signal }: UnaryOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(late())
    if (signal.aborted) return end()
    const timer = setTimeout(end, Math.max(0, deadline - Date.now()))
    const release = onAbort(signal, end)
    void work
      .then(
        () => resolve(),
        () => resolve(),
      )
      .finally(() => {
        clearTimeout(timer)
        release()
      })
  })
}
