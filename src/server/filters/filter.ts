import type { ApiState } from '../../endpoints/filters/filter.ts'
import type { AnyRequest, AnyResponse } from '../http/any-http.ts'
import type { HttpExchange } from '../http/http-exchange.ts'

/** Koa's `ctx.state` of a request: values that filters pass on to later ones. */
export interface RequestState extends ApiState {
  /** Set by `withExchange`, the first filter. */
  exchange: HttpExchange
}

/** The part of Koa's context that filters use. */
export interface FilterContext {
  readonly req: AnyRequest
  readonly res: AnyResponse
  readonly state: RequestState
}

/** Calls the rest of the chain. Resolves when the request is over. */
export type Next = () => Promise<void>

/**
 * A layer of Koa middleware in the handler chain. It rejects, throws, responds to the request, or passes it on by
 * `next`. A filter that does nothing afterwards returns the promise of `next` itself: another promise would cost every
 * request.
 */
export type Filter = (ctx: FilterContext, next: Next) => Promise<void>
