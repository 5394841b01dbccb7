import type { Exchange } from '../exchange.ts'
import type { ResponseForm } from '../forms/response-form.ts'
import type { Scope } from '../scope.ts'

/** Koa's `ctx.state` of a request, as far as the API uses it: values that filters pass on to later ones. */
export interface ApiState {
  readonly exchange: Exchange
  /** Set by `withScope`. */
  scope?: Scope
  /** Set by `withNegotiation`. */
  form?: ResponseForm
}

/** A layer of Koa middleware in the server's handler chain. */
export type ApiFilter = (ctx: { readonly state: ApiState }, next: () => Promise<void>) => Promise<void>
