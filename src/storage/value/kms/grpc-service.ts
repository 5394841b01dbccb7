import { type CallObserver, SocketClient } from '../../../protocols/grpc/socket-client.ts'
import { decodeDecrypt, decodeEncrypt, decodeStatus, encodeDecrypt, encodeEncrypt } from './messages.ts'
import type { KeyService } from './service.ts'

export interface GrpcServiceOptions {
  /** `unix:///path`, or `unix:///@name` for a socket without a file. */
  readonly endpoint: string
  readonly timeoutMs: number
  readonly observer: CallObserver
}

const PREFIX = '/v2.KeyManagementService/'
/** The longest valid response has annotations of 32 KiB, each with a few bytes beside it. */
const MAX_RESPONSE_BYTES = 128 * 1024

function pathOf(endpoint: string): string {
  const path = decodeURIComponent(new URL(endpoint).pathname)
  return path.startsWith('/@') ? path.slice(1) : path
}

/** A service behind a unix socket. A socket that is not there yet is waited for, by each call until its deadline. */
export function openGrpcService({ endpoint, timeoutMs, observer }: GrpcServiceOptions): KeyService {
  const client = new SocketClient({ path: pathOf(endpoint), maxResponseBytes: MAX_RESPONSE_BYTES, observer })
  const call = <T>(name: string, request: Buffer, decode: (message: Buffer) => T): Promise<T> => client.call(PREFIX + name, request, timeoutMs, decode)
  return {
    status: () => call('Status', Buffer.alloc(0), decodeStatus),
    encrypt: (plaintext, uid) => call('Encrypt', encodeEncrypt(plaintext, uid), decodeEncrypt),
    decrypt: request => call('Decrypt', encodeDecrypt(request), decodeDecrypt),
    close: () => client.close(),
  }
}
