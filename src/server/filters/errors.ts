import { errorMessage } from '../../lib/error-message.ts'
import { escapeHtml } from '../../lib/escape-html.ts'
import { quote } from '../../lib/go-quote.ts'
import type { Logger } from '../../lib/log.ts'
import { nextLongTurn, turnIsLong } from '../../lib/turn.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import { badRequestError, failure, internalServerError, StatusError } from '../../meta/status.ts'
import { FIRST_WORDING, isWordedSince, type Wording } from '../../meta/wording.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Filter } from './filter.ts'

/**
 * Responds with the error that a later filter throws, or with 500 if none has responded. If the response has begun, the
 * connection is closed.
 * @param wording messages of errors. Default: those of the oldest releases.
 */
export const withErrors =
  (log: Logger, wording: Wording = FIRST_WORDING): Filter =>
  async ({ state: { exchange } }, next) => {
    try {
      await next()
      if (!exchange.answered && !exchange.clientGone && !exchange.req.destroyed) throw new Error('the handler has not responded')
    } catch (error) {
      await answer(exchange, inRelease(error, wording), log)
    }
  }

/** Returns an error as the release words it. Since 1.38 a path that no handler serves gets a Status. */
function inRelease(error: unknown, wording: Wording): unknown {
  if (error instanceof StatusError) return error.worded(wording)
  return error instanceof PlainTextError && error.code === 404 && isWordedSince(wording, '1.38')
    ? failure(404, 'NotFound', error.message)
    : error
}

/** Sends an error, and logs it if it is a bug. An error after the response has begun closes the connection. */
async function answer(exchange: HttpExchange, error: unknown, log: Logger): Promise<void> {
  if (error instanceof PlainTextError && !exchange.answered) return sendPlainText(exchange, error)
  const status = statusErrorOf(error)
  // The message may be as long as the body, and is encoded at once.
  if (turnIsLong()) await nextLongTurn()
  const clientGone = exchange.clientGone && !exchange.answered
  const isBug = status.code >= 500 && !(error instanceof StatusError) && !clientGone
  if (isBug) exchange.auditing?.panicked(errorMessage(error))
  if (isBug) log.error('request failed', { path: exchange.path, auditID: exchange.auditId, error })
  if (!exchange.answered) await exchange.sendStatusError(status)
  else if (!exchange.res.writableEnded) exchange.destroy()
}

/** Responds in plain text as Go's http.Error does, with upstream's prefix for a 500. */
function sendPlainText(exchange: HttpExchange, { code, message, retryAfter }: PlainTextError): Promise<void> {
  const text = code === 500 ? escapeHtml(`Internal Server Error: ${quote(exchange.req.url ?? '/')}: ${message}`) : message
  exchange.setHeader('X-Content-Type-Options', 'nosniff')
  if (retryAfter !== undefined) exchange.setHeader('Retry-After', String(retryAfter))
  return exchange.sendBytes(code, 'text/plain; charset=utf-8', Buffer.from(code === 400 ? text : `${text}\n`))
}

/** Errors that no handler foresaw are internal errors, except a stack overflow, which the body's nesting causes. */
function statusErrorOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded')
    return badRequestError('the body of the request is nested too deeply, or has too many errors to report')
  return internalServerError(errorMessage(error))
}
