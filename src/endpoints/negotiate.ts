import { JSON_TYPE, type MediaOffer, negotiateInput, prefersPretty, unsupportedMediaTypeText } from '../codec/negotiate.ts'
import { failure } from '../meta/status.ts'
import { acceptedOutput, acceptedStream } from './accepted.ts'
import type { AnswerForm } from './forms/answer-form.ts'
import { formOf, PLAIN_FORM } from './forms/form-of.ts'
import type { Scope } from './scope.ts'

/** The form of the answer. Throws 406 where the client accepts none. */
export const negotiate = (scope: Scope): AnswerForm => (acceptsPlain(scope) ? PLAIN_FORM : formOf(acceptedOutput(scope)))

/** Whether the client asks for JSON and nothing else, as most do. */
const acceptsPlain = ({ exchange }: Scope): boolean =>
  exchange.headers.accept === JSON_TYPE && exchange.search === '' && !prefersPretty(undefined, exchange.ctx.userAgent)

/** Likewise for a watch. */
export const negotiateStream = (scope: Scope): AnswerForm => formOf(acceptedStream(scope))

/** The type of a body. Throws 415. */
export function bodyMediaType(contentType: string | undefined, { types }: MediaOffer): string {
  const type = negotiateInput(contentType, types)
  if (type === undefined) throw failure(415, 'UnsupportedMediaType', unsupportedMediaTypeText(types))
  return type
}
