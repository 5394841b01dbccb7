import type { Awaitable } from '../lib/awaitable.ts'
import type { Body, ResponseForm } from './forms/response-form.ts'
import { jsonFormOf } from './negotiate.ts'
import type { Scope } from './scope.ts'

/** Reports whether the audit event of the request contains the object of the response. */
export const auditsResponse = ({ exchange }: Scope): boolean => exchange.ctx.audit?.showsResponse === true

/** Sends a response in the negotiated form, and adds the same view as JSON to the audit event. Stored objects use their stored bytes. `make` is called for each, because a long body can only be read once. */
export async function sendAudited(scope: Scope, form: ResponseForm, code: number, make: (form: ResponseForm) => Awaitable<Body>): Promise<void> {
  const { exchange } = scope
  exchange.ctx.audit?.responseObject(await make(jsonFormOf(scope)))
  await exchange.sendBytes(code, form.contentType, await make(form))
}
