import { type ExchangeHost, HttpExchange } from '../http/http-exchange.ts'
import type { Filter } from './filter.ts'

/** Creates the exchange of a request, with its time of receipt and its audit ID. */
export const withExchange =
  (host: ExchangeHost): Filter =>
  (ctx, next) => {
    ctx.state.exchange = new HttpExchange(host, ctx.req, ctx.res)
    return next()
  }
