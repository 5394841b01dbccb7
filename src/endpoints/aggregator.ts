import type { Exchange } from './exchange.ts'

/** Knows which group versions other servers serve (APIServices), and passes requests on to them. */
export interface Aggregator {
  /** Passes on a request of another server's group version; undefined: it is this server's. */
  serve(exchange: Exchange): Promise<void> | undefined
  /** Whether a request with such a path is passed on. */
  passesOn(path: string): boolean
}
