import type { Agent as HttpAgent, IncomingHttpHeaders } from 'node:http'
import type { Dial } from '../lib/connect-proxy.ts'
import type { CertificateObserver } from './certificate-metrics.ts'

/** Where JSON is posted. */
export interface Destination {
  /** Keeps the connections; an agent of plain HTTP posts without TLS. */
  readonly agent: HttpAgent
  readonly host: string
  readonly port: number
  /** The Host header. */
  readonly authority: string
  /** The name in its certificate. */
  readonly serverName: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly certificates?: CertificateObserver | undefined
  /** Optional. How other servers are dialled that this one redirects to. Default: directly. */
  readonly dial?: Dial | undefined
}

/** The response to a call. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}
