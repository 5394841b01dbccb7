import type { KubeObject } from '../api/meta/object.ts'
import { type Awaitable, after } from '../lib/awaitable.ts'
import type { ResponseStatus } from '../meta/status.ts'
import type { ListResult } from '../registry/read.ts'
import type { RequestResult } from '../registry/types.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { Body, ResponseForm } from './forms/response-form.ts'
import { jsonFormOf } from './negotiate.ts'
import type { Scope } from './scope.ts'

/** Sends an object in the negotiated form. */
export function respondObject(scope: Scope, form: ResponseForm, code: number, answer: RequestResult): Promise<void> {
  if (!('stored' in answer)) return respondTyped(scope, form, code, scope.served.version.schema, answer.object)
  if (auditsResponse(scope)) return sendAudited(scope, form, code, each => each.stored(scope, answer.stored))
  return sendBody(scope, form, code, form.stored(scope, answer.stored))
}

/** Sends an object of this schema that is not stored. */
export function respondTyped(scope: Scope, form: ResponseForm, code: number, schema: StructSchema, object: KubeObject): Promise<void> {
  if (auditsResponse(scope)) return sendAudited(scope, form, code, each => each.object(scope, schema, object))
  return sendBody(scope, form, code, form.object(scope, schema, object))
}

/** Sends a page of a list with 200. Items are stored objects, whose cached bytes are used where the form allows it. */
export function respondList(scope: Scope, form: ResponseForm, result: ListResult): Promise<void> {
  if (auditsResponse(scope)) return sendAudited(scope, form, 200, each => each.list(scope, result))
  return sendBody(scope, form, 200, form.list(scope, result))
}

/** Sends a list whose items are not stored. */
export function respondPlainList(scope: Scope, form: ResponseForm, items: readonly KubeObject[]): Promise<void> {
  if (auditsResponse(scope)) return sendAudited(scope, form, 200, each => each.plainList(scope, items))
  return sendBody(scope, form, 200, form.plainList(scope, items))
}

/** Sends a Status of a success. */
export function respondStatus(scope: Scope, form: ResponseForm, code: number, status: ResponseStatus): Promise<void> {
  scope.exchange.ctx.audit?.answersStatus(status)
  return sendBody(scope, form, code, form.status(status))
}

function sendBody({ exchange }: Scope, { contentType }: ResponseForm, code: number, body: Awaitable<Body>): Promise<void> {
  return after(body, ready => exchange.sendBytes(code, contentType, ready))
}

/** Reports whether the audit event of the request contains the object of the response. */
const auditsResponse = ({ exchange }: Scope): boolean => exchange.ctx.audit?.showsResponse === true

/**
 * Sends a response in the negotiated form, and adds the same view as JSON to the audit event. Stored objects use their
 * stored bytes. `make` is called for each, because a long body can only be read once.
 */
async function sendAudited(scope: Scope, form: ResponseForm, code: number, make: (form: ResponseForm) => Awaitable<Body>): Promise<void> {
  const { exchange } = scope
  exchange.ctx.audit?.responseObject(await make(jsonFormOf(scope)))
  await exchange.sendBytes(code, form.contentType, await make(form))
}
