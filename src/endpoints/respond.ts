import type { KubeObject } from '../meta/object.ts'
import type { AnsweredStatus } from '../meta/status.ts'
import type { ListResult } from '../registry/read.ts'
import type { Answer } from '../registry/types.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { AnswerForm, Body, Made } from './forms/answer-form.ts'
import type { Scope } from './scope.ts'

/** Answers in the form that was negotiated. */
export function respondObject(scope: Scope, form: AnswerForm, code: number, answer: Answer): Promise<void> {
  if ('stored' in answer) return send(scope, form, code, form.stored(scope, answer.stored))
  return respondTyped(scope, form, code, scope.served.version.schema, answer.object)
}

/** With an object that is not stored, of this schema. */
export const respondTyped = (scope: Scope, form: AnswerForm, code: number, schema: StructSchema, object: KubeObject): Promise<void> =>
  send(scope, form, code, form.object(scope, schema, object))

export const respondList = (scope: Scope, form: AnswerForm, result: ListResult): Promise<void> => send(scope, form, 200, form.list(scope, result))

/** With a list whose items are not stored. */
export const respondPlainList = (scope: Scope, form: AnswerForm, items: readonly KubeObject[]): Promise<void> =>
  send(scope, form, 200, form.plainList(scope, items))

/** With a Status, of a success. */
export const respondStatus = (scope: Scope, form: AnswerForm, code: number, status: AnsweredStatus): Promise<void> =>
  send(scope, form, code, form.status(status))

function send({ exchange }: Scope, { contentType }: AnswerForm, code: number, body: Made<Body>): Promise<void> {
  if (body instanceof Promise) return body.then(ready => exchange.sendBytes(code, contentType, ready))
  return exchange.sendBytes(code, contentType, body)
}
