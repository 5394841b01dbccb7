import { type Awaitable, after } from '../lib/awaitable.ts'
import type { KubeObject } from '../meta/object.ts'
import type { AnsweredStatus } from '../meta/status.ts'
import type { ListResult } from '../registry/read.ts'
import type { Answer } from '../registry/types.ts'
import type { StructSchema } from '../schema/schema.ts'
import { auditsAnswer, sendAudited } from './audited-answer.ts'
import type { AnswerForm, Body } from './forms/answer-form.ts'
import type { Scope } from './scope.ts'

/** Sends an object in the negotiated form. */
export function respondObject(scope: Scope, form: AnswerForm, code: number, answer: Answer): Promise<void> {
  if (!('stored' in answer)) return respondTyped(scope, form, code, scope.served.version.schema, answer.object)
  if (auditsAnswer(scope)) return sendAudited(scope, form, code, each => each.stored(scope, answer.stored))
  return send(scope, form, code, form.stored(scope, answer.stored))
}

/** Sends an object of this schema that is not stored. */
export function respondTyped(scope: Scope, form: AnswerForm, code: number, schema: StructSchema, object: KubeObject): Promise<void> {
  if (auditsAnswer(scope)) return sendAudited(scope, form, code, each => each.object(scope, schema, object))
  return send(scope, form, code, form.object(scope, schema, object))
}

export function respondList(scope: Scope, form: AnswerForm, result: ListResult): Promise<void> {
  if (auditsAnswer(scope)) return sendAudited(scope, form, 200, each => each.list(scope, result))
  return send(scope, form, 200, form.list(scope, result))
}

/** Sends a list whose items are not stored. */
export function respondPlainList(scope: Scope, form: AnswerForm, items: readonly KubeObject[]): Promise<void> {
  if (auditsAnswer(scope)) return sendAudited(scope, form, 200, each => each.plainList(scope, items))
  return send(scope, form, 200, form.plainList(scope, items))
}

/** Sends a Status of a success. */
export function respondStatus(scope: Scope, form: AnswerForm, code: number, status: AnsweredStatus): Promise<void> {
  scope.exchange.ctx.audit?.answersStatus(status)
  return send(scope, form, code, form.status(status))
}

function send({ exchange }: Scope, { contentType }: AnswerForm, code: number, body: Awaitable<Body>): Promise<void> {
  return after(body, ready => exchange.sendBytes(code, contentType, ready))
}
