import type { Exchange } from './exchange.ts'

/**
 * A route of this server besides the API and kube-apiserver's endpoints, under `/binnacle/` or `/console/`. It is
 * authorized as a non-resource URL, and audited, counted and limited like any request.
 */
export interface OwnRoute {
  /** Percent-decoded. A path that ends with a slash matches every path below it. */
  readonly path: string
  /** Allowed methods. Others get 405. */
  readonly methods: readonly string[]
  /** Sends the response. Throws a StatusError. */
  handle(exchange: Exchange): Promise<void>
}
