/**
 * A failure that kube-apiserver answers in plain text, past everything that knows of a Status: `404 page not found`, 400 for a URL that is none, 429 for a request too many, and 500 for a request whose purpose it cannot determine. The text
 * of a 500 is the reason alone; the server puts the request's URL before it.
 */
export class PlainTextError extends Error {
  readonly code: 400 | 404 | 429 | 500
  /** Seconds, for the header Retry-After; absent: none. */
  readonly retryAfter: number | undefined

  constructor(code: 400 | 404 | 429 | 500, text: string, retryAfter?: number) {
    super(text)
    this.code = code
    this.retryAfter = retryAfter
  }
}

export const pageNotFound = (): PlainTextError => new PlainTextError(404, '404 page not found')

/** What Go's HTTP server answers before anybody is asked. */
export const badRequestLine = (): PlainTextError => new PlainTextError(400, '400 Bad Request')
