import { type ExchangeHost, HttpExchange } from '../exchange.ts'
import type { Filter } from './filter.ts'

/** Begins a request: its exchange has the time at which it was received and its audit ID. */
export const withExchange =
  (host: ExchangeHost): Filter =>
  (ctx, next) => {
    ctx.state.exchange = new HttpExchange(host, ctx.req, ctx.res)
    return next()
  }
