import type { Socket } from 'node:net'
import type { KeyPair } from '../tls/issue.ts'
import type { Credentials } from '../tls/material.ts'

export type PortName = 'secure' | 'insecure'

/** What a worker needs beside the command line, which is the primary's. */
export interface WorkerBegin {
  readonly credentials: Pick<Credentials, 'tls' | 'serverCa'> & { readonly ownCa: Pick<KeyPair, 'cert'> }
  readonly securePort: number
  /** 0: none. */
  readonly insecurePort: number
  /** Others serve: it takes connections only once it can answer from memory. */
  readonly fillFirst: boolean
}

/** One family as prom-client gives it in JSON. */
export interface MetricSnapshot {
  readonly name: string
  readonly help: string
  readonly type: string
  /** How the figures of several processes make one, by prom-client's names. */
  readonly aggregator: string
  readonly values: readonly { readonly value: number; readonly labels: Readonly<Record<string, string | number>>; readonly metricName?: string }[]
}

/** From the primary to a worker. `id` says which question an answer is for. */
export type ToWorker =
  | { readonly type: 'begin'; readonly begin: WorkerBegin }
  | { readonly type: 'stop' }
  | { readonly type: 'ping' }
  /** Comes with a socket. */
  | { readonly type: 'connection'; readonly id: number; readonly port: PortName }
  | { readonly type: 'collect'; readonly id: number }
  | { readonly type: 'scraped'; readonly id: number; readonly text: string }

/** From a worker to the primary. */
export type FromWorker =
  /** It listens: what was sent before is lost. */
  | { readonly type: 'hello' }
  | { readonly type: 'serving' }
  | { readonly type: 'pong' }
  /** Of a connection: it has it, and may have read of it; or it does not want it, and has not. */
  | { readonly type: 'took' | 'refused'; readonly id: number }
  /** It takes no more connections. */
  | { readonly type: 'closing' }
  | { readonly type: 'collected'; readonly id: number; readonly families: readonly MetricSnapshot[] }
  | { readonly type: 'scrape'; readonly id: number }

/** A worker as the primary sees it. Messages to one that has ended are lost. */
export interface WorkerProcess {
  readonly pid: number
  /** `socket`: a connection to hand over, which stays open here. */
  send(message: ToWorker, socket?: Socket): void
  /** kill -9. */
  kill(): void
  onMessage(handle: (message: FromWorker) => void): void
  onExit(handle: (code: number | null, signal: string | null) => void): void
  /** It has ended, and nothing more will be heard of it. */
  onGone(handle: () => void): void
}
