import { setTimeout as sleep } from 'node:timers/promises'
import type { CallFailure } from '../../protocols/grpc/call-failure.ts'
import { UnaryConnections } from '../../protocols/grpc/unary-connections.ts'
import type { Backend } from '../backend.ts'
import { BackendError } from '../backend.ts'
import type { Method } from './connection.ts'
import { backendError } from './errors.ts'
import { decodeRange, decodeWrite, encodeGuardedWrite, encodeRange } from './messages.ts'
import { addressesOf, dialOptionsOf, type EtcdOptions } from './options.ts'

const CALL_MS = 10_000
const PAUSE_MS = 20

/**
 * Opens etcd for a process that makes a few short calls, without the memory of a gRPC client. If the response of a
 * write is lost, the write is not settled: the caller has to read again. Time to live is not supported.
 */
export function openFewCalls(options: EtcdOptions): Pick<Backend, 'get' | 'write' | 'close'> {
  const connections = new UnaryConnections(dialOptionsOf(options))
  const addresses = addressesOf(options.servers)

  async function call(method: Method, request: Buffer, signal: AbortSignal): Promise<Buffer> {
    for (const deadline = Date.now() + CALL_MS; Date.now() < deadline; await sleep(PAUSE_MS)) {
      if (signal.aborted) throw new BackendError('aborted', 'no connection to etcd', { cause: signal.reason })
      for (const address of addresses) {
        const answer = connections.to(address)?.call(method, request, { signal, deadline })
        if (answer) return answer.catch((failure: CallFailure) => Promise.reject(backendError(failure, signal)))
      }
    }
    throw new BackendError('unavailable', 'no connection to etcd')
  }

  return {
    async get(key, signal, at) {
      const request = encodeRange({ start: key, ...(at !== undefined && { at }) })
      const { items, revision } = decodeRange(await call('/etcdserverpb.KV/Range', request, signal))
      return { item: items[0], revision }
    },
    async write(write, signal) {
      const { succeeded, revision, current } = decodeWrite(await call('/etcdserverpb.KV/Txn', encodeGuardedWrite(write, 0n), signal))
      return succeeded ? { ok: true, revision } : { ok: false, current, revision }
    },
    close: async () => connections.close(),
  }
}
