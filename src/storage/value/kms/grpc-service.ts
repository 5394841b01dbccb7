import { type CallObserver, openSocketClient } from '../../../protocols/grpc/socket-client.ts'
import { decodeDecrypt, decodeEncrypt, decodeStatus, encodeDecrypt, encodeEncrypt } from './messages.ts'
import type { KeyService } from './service.ts'

export interface GrpcServiceOptions {
  /** `unix:///path`, or `unix:///@name` for a socket without a file. */
  readonly endpoint: string
  readonly timeoutMs: number
  readonly observer: CallObserver
}

const PREFIX = '/v2.KeyManagementService/'
/** Of an answer; the longest that is valid has 34 KiB. */
const MOST_BYTES = 1 << 20

function pathOf(endpoint: string): string {
  const path = decodeURIComponent(new URL(endpoint).pathname)
  return path.startsWith('/@') ? path.slice(1) : path
}

/** A service behind a unix socket. gRPC's library is loaded by this call; a socket that is not there yet is waited for, each call until its deadline. */
export async function openGrpcService({ endpoint, timeoutMs, observer }: GrpcServiceOptions): Promise<KeyService> {
  const client = await openSocketClient({ path: pathOf(endpoint), mostBytes: MOST_BYTES, observer })
  const call = (name: string, request: Buffer): Promise<Buffer> => client.call(PREFIX + name, request, timeoutMs)
  return {
    status: async () => decodeStatus(await call('Status', Buffer.alloc(0))),
    encrypt: async (plaintext, uid) => decodeEncrypt(await call('Encrypt', encodeEncrypt(plaintext, uid))),
    decrypt: async request => decodeDecrypt(await call('Decrypt', encodeDecrypt(request))),
    close: () => client.close(),
  }
}
