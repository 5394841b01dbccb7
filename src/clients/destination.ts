import type { Agent as HttpAgent, IncomingHttpHeaders } from 'node:http'
import type { Dial } from '../lib/connect-proxy.ts'
import type { CertificateObserver } from './certificate-metrics.ts'

/** Destination of a POST. */
export interface Destination {
  /** Agent that keeps connections alive. An agent of plain HTTP posts without TLS. */
  readonly agent: HttpAgent
  /** Host name or IP address to dial. */
  readonly host: string
  readonly port: number
  /** Value of the Host header. */
  readonly authority: string
  /** Name that the certificate must contain. */
  readonly serverName: string
  /** Includes the query. */
  readonly path: string
  /** Further headers. A list is sent as one header line for each value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Optional. Observes the certificate of the server. */
  readonly certificates?: CertificateObserver | undefined
  /** Optional. How other servers are dialled that this one redirects to. Default: directly. */
  readonly dial?: Dial | undefined
}

/** The response to a call. */
export interface CallResponse {
  /** HTTP status code. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The whole body. */
  readonly body: Buffer
}
