import type { Exchange } from './exchange.ts'

/** What this server serves beside the API and kube-apiserver's endpoints, under `/binnacle/` and `/console/`. It is authorized as a non-resource URL, and audited, counted and limited as any request. */
export interface OwnRoute {
  /** Percent-decoded. With a slash at its end: every path that begins with it. */
  readonly path: string
  /** Any other method is answered with 405. */
  readonly methods: readonly string[]
  /** Answers by the exchange. Throws a StatusError. */
  handle(exchange: Exchange): Promise<void>
}
