import type { Socket } from 'node:net'
import type { PortName } from '../../server/connections/connection-source.ts'
import type { MetricSnapshot } from '../../server/metrics/shared-metrics.ts'
import type { ServerCredentials } from '../../server/tls/material.ts'

/** Data that a worker needs besides the command line, which it shares with the primary. */
export interface WorkerBegin {
  /** Certificates of the primary, so that all workers serve the same ones. */
  readonly credentials: Pick<ServerCredentials, 'tls' | 'serverCa' | 'ownCa' | 'frontProxy'>
  /** Port that the primary listens on. */
  readonly securePort: number
  /** 0 if there is no such port. */
  readonly insecurePort: number
  /** Whether other workers serve already. Then the worker accepts connections only when its caches are filled. */
  readonly fillFirst: boolean
}

/** Messages of the primary to a worker. The response to a message has the same `id`. */
export type ToWorker =
  | { readonly type: 'begin'; readonly begin: WorkerBegin }
  | { readonly type: 'stop' }
  | { readonly type: 'ping' }
  /** Sent with a socket. */
  | { readonly type: 'connection'; readonly id: number; readonly port: PortName }
  | { readonly type: 'collect'; readonly id: number }
  | { readonly type: 'scraped'; readonly id: number; readonly text: string }

/** Messages of a worker to the primary. */
export type FromWorker =
  /** The worker receives messages. Earlier ones are lost. */
  | { readonly type: 'hello' }
  | { readonly type: 'serving' }
  | { readonly type: 'pong' }
  /**
   * `took`: the worker has the connection, and may have read from it. `refused`: it has not read from it, and does not
   * serve it.
   */
  | { readonly type: 'took' | 'refused'; readonly id: number }
  /** The worker accepts no more connections. */
  | { readonly type: 'closing' }
  | { readonly type: 'collected'; readonly id: number; readonly families: readonly MetricSnapshot[] }
  | { readonly type: 'scrape'; readonly id: number }

/** A worker as the primary sees it. Messages to a worker that has ended are dropped. */
export interface WorkerProcess {
  readonly pid: number
  /** `socket`: a connection that is handed over. It stays open in the primary. */
  send(message: ToWorker, socket?: Socket): void
  /** Sends SIGKILL. */
  kill(): void
  /** Called with each message, in order. */
  onMessage(handle: (message: FromWorker) => void): void
  /** Called when the process has ended. Messages may still be in the channel. */
  onExit(handle: (code: number | null, signal: string | null) => void): void
  /** Called when the worker has ended and all its messages have been received. */
  onGone(handle: () => void): void
}
