import { type CallObserver, SocketClient } from '../../../protocols/grpc/socket-client.ts'
import { decodeDecrypt, decodeEncrypt, decodeStatus, encodeDecrypt, encodeEncrypt } from './messages.ts'
import type { KeyService } from './service.ts'

/** Address and timeout of a service. */
export interface GrpcServiceOptions {
  /** `unix:///path`, or `unix:///@name` for a socket without a file. */
  readonly endpoint: string
  readonly timeoutMs: number
  readonly observer: CallObserver
}

const PREFIX = '/v2.KeyManagementService/'
/** Limit on a response. The longest valid one has annotations of 32 KiB, each with a few bytes of overhead. */
const MAX_RESPONSE_BYTES = 128 * 1024

function socketPath(endpoint: string): string {
  const path = decodeURIComponent(new URL(endpoint).pathname)
  return path.startsWith('/@') ? path.slice(1) : path
}

/**
 * Opens a service behind a unix socket. If the socket does not exist yet, each call waits for it until its deadline.
 */
export function openGrpcService({ endpoint, timeoutMs, observer }: GrpcServiceOptions): KeyService {
  const client = new SocketClient({ path: socketPath(endpoint), maxResponseBytes: MAX_RESPONSE_BYTES, observer })
  const call = <T>(name: string, request: Buffer, decode: (message: Buffer) => T): Promise<T> =>
    client.call(PREFIX + name, request, timeoutMs, decode)
  return {
    status: () => call('Status', Buffer.alloc(0), decodeStatus),
    encrypt: (plaintext, uid) => call('Encrypt', encodeEncrypt(plaintext, uid), decodeEncrypt),
    decrypt: request => call('Decrypt', encodeDecrypt(request), decodeDecrypt),
    close: () => client.close(),
  }
}
