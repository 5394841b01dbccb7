import type { ServiceError as GrpcError } from '@grpc/grpc-js'
import { decodeDecrypt, decodeEncrypt, decodeStatus, encodeDecrypt, encodeEncrypt } from './messages.ts'
import { type KeyService, ServiceError } from './service.ts'

/** Told of each call: its method as gRPC has it, how long it took, and the name of its status. */
export type CallObserver = (method: string, seconds: number, status: string) => void

export interface GrpcServiceOptions {
  /** `unix:///path`, or `unix:///@name` for a socket without a file. */
  readonly endpoint: string
  readonly timeoutMs: number
  readonly observer: CallObserver
}

const PREFIX = '/v2.KeyManagementService/'
/** Of an answer; the longest that is valid has 34 KiB. */
const MOST_BYTES = 1 << 20
const same = (bytes: Buffer): Buffer => bytes
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

/** Where grpc-js finds the socket. An abstract one begins with a zero byte for Node. */
export function addressOf(endpoint: string): string {
  const { pathname } = new URL(endpoint)
  const path = decodeURIComponent(pathname)
  return path.startsWith('/@') ? `unix:\0${path.slice(2)}` : `unix:${path}`
}

/** A service behind a unix socket. gRPC's library is loaded by this call; a socket that is not there yet is waited for, each call until its deadline. */
export async function openGrpcService({ endpoint, timeoutMs, observer }: GrpcServiceOptions): Promise<KeyService> {
  const { Client, credentials, Metadata } = await import('@grpc/grpc-js')
  const client = new Client(addressOf(endpoint), credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.max_receive_message_length': MOST_BYTES,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  })
  const metadata = new Metadata({ waitForReady: true })
  const call = (name: string, request: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const begun = performance.now()
      const method = PREFIX + name
      client.makeUnaryRequest(method, same, same, request, metadata, { deadline: Date.now() + timeoutMs }, (error, answer) => {
        const status = CODES[error?.code ?? 0] ?? 'Unknown'
        observer(method, (performance.now() - begun) / 1000, status)
        if (error || answer === undefined) reject(new ServiceError(status, detailsOf(error, status)))
        else resolve(answer)
      })
    })
  return {
    status: async () => decodeStatus(await call('Status', Buffer.alloc(0))),
    encrypt: async (plaintext, uid) => decodeEncrypt(await call('Encrypt', encodeEncrypt(plaintext, uid))),
    decrypt: async request => decodeDecrypt(await call('Decrypt', encodeDecrypt(request))),
    close: () => client.close(),
  }
}

/** The library adds how long it has waited, which makes each error another. */
const detailsOf = (error: GrpcError | null, status: string): string =>
  status === 'DeadlineExceeded' ? 'context deadline exceeded' : (error?.details ?? 'the answer is empty')
