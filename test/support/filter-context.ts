import { ServerResponse } from 'node:http'
import type { User } from '../../src/meta/context.ts'
import type { Filter, FilterContext } from '../../src/server/filters/filter.ts'
import { withRequestInfo } from '../../src/server/filters/request-info.ts'
import { HttpExchange } from '../../src/server/http/http-exchange.ts'
import { responseBuffers } from '../../src/server/http/response-buffers.ts'
import { encodeStatusAsJson } from '../../src/server/http/status-body.ts'
import { requestWithoutSocket } from './request-without-socket.ts'

export interface FilteredRequest {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly user?: User
  /** Whether the request info has been read. */
  readonly parsed?: boolean
}

/** Returns the context of a filter for a request without a socket. */
export function filterContext({
  method = 'GET',
  url = '/api/v1/namespaces/ns/things/x',
  headers = {},
  user,
  parsed = true,
}: FilteredRequest = {}): FilterContext {
  const req = requestWithoutSocket({ method, url, headers })
  const res = new ServerResponse(req as ConstructorParameters<typeof ServerResponse>[0])
  const exchange = new HttpExchange({ encodeStatus: encodeStatusAsJson, compressAnswers: false, memory: responseBuffers() }, req, res)
  const ctx = { req, res, state: { exchange } }
  if (user) exchange.user = user
  if (parsed) void withRequestInfo(ctx, async () => {})
  return ctx
}

/** Runs one filter as Koa does: what it throws at once rejects, too. `next` is what stands behind it. */
export const runFilter = async (filter: Filter, ctx: FilterContext, next: () => Promise<void> = async () => {}): Promise<void> =>
  filter(ctx, next)

/** A promise, and what settles it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}

/** The error that a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
