import type { AnswerForm, Body, Made } from './forms/answer-form.ts'
import { jsonFormOf } from './negotiate.ts'
import type { Scope } from './scope.ts'

/** Whether the audit event of the request holds the object that is answered. */
export const auditsAnswer = ({ exchange }: Scope): boolean => exchange.ctx.audit?.showsResponse === true

/** Answers in the form that was negotiated, and gives the event the same view in JSON: of stored objects by the bytes that are there. `make` is called for each, as a long body is read once. */
export async function sendAudited(scope: Scope, form: AnswerForm, code: number, make: (form: AnswerForm) => Made<Body>): Promise<void> {
  const { exchange } = scope
  exchange.ctx.audit?.responseObject(await make(jsonFormOf(scope)))
  await exchange.sendBytes(code, form.contentType, await make(form))
}
