import type { ApiState } from '../../endpoints/filters/filter.ts'
import type { AnyRequest, AnyResponse } from '../any-http.ts'
import type { HttpExchange } from '../exchange.ts'

/** Koa's `ctx.state` of a request: what the filters hand to those behind them. */
export interface RequestState extends ApiState {
  /** Set by `withExchange`, the first of them. */
  exchange: HttpExchange
}

/** What a filter reads of Koa's context. */
export interface FilterContext {
  readonly req: AnyRequest
  readonly res: AnyResponse
  readonly state: RequestState
}

export type Next = () => Promise<void>

/**
 * A layer of Koa middleware in the handler chain. It rejects, throws or answers the request, or passes it on by `next`. One that has nothing to do afterwards returns the promise of `next`
 * as it is: each promise more costs every request.
 */
export type Filter = (ctx: FilterContext, next: Next) => Promise<void>
