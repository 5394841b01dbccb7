import type { ServiceError } from '@grpc/grpc-js'

/** Called after each call: its method as gRPC has it, how long it took, and the name of its status. */
export type CallObserver = (method: string, seconds: number, status: string) => void

export interface SocketClientOptions {
  /** Path of the socket; one that begins with `@` is of the abstract namespace, and has no file. */
  readonly path: string
  /** Of an answer. */
  readonly mostBytes: number
  readonly observer: CallObserver
}

/** Asks a server behind a unix socket. */
export interface SocketClient {
  /** Bytes of the answer. Rejects with a SocketCallError, when the time is over at the latest. */
  call(method: string, request: Buffer, timeoutMs: number): Promise<Buffer>
  close(): void
}

/** A call that failed, in the words of gRPC for Go. `status`: the name of its code. */
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
const same = (bytes: Buffer): Buffer => bytes

/** gRPC's library is loaded by this call. A socket that is not there yet is waited for, each call until its deadline. */
export async function openSocketClient({ path, mostBytes, observer }: SocketClientOptions): Promise<SocketClient> {
  const { Client, credentials, Metadata } = await import('@grpc/grpc-js')
  // An abstract one begins with a zero byte for Node.
  const client = new Client(path.startsWith('@') ? `unix:\0${path.slice(1)}` : `unix:${path}`, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.max_receive_message_length': mostBytes,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  })
  const metadata = new Metadata({ waitForReady: true })
  return {
    call: (method, request, timeoutMs) =>
      new Promise((resolve, reject) => {
        const begun = performance.now()
        client.makeUnaryRequest(method, same, same, request, metadata, { deadline: Date.now() + timeoutMs }, (error, answer) => {
          const status = CODES[error?.code ?? 0] ?? 'Unknown'
          observer(method, (performance.now() - begun) / 1000, status)
          if (error || answer === undefined) reject(new SocketCallError(status, detailsOf(error, status)))
          else resolve(answer)
        })
      }),
    close: () => client.close(),
  }
}

/** The library adds how long it has waited, which makes each error another. */
const detailsOf = (error: ServiceError | null, status: string): string =>
  status === 'DeadlineExceeded' ? 'context deadline exceeded' : (error?.details ?? 'the answer is empty')
