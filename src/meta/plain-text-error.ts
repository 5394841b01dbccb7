/**
 * An error to which kube-apiserver responds in plain text instead of a Status: `404 page not found`, 400 for an invalid
 * URL, 429 for too many requests, and 500 for a request that it cannot classify. The message of a 500 is only the
 * reason; the server prefixes it with the URL of the request.
 */
export class PlainTextError extends Error {
  readonly code: 400 | 404 | 429 | 500
  /** Seconds for the header Retry-After. Undefined if the response has no such header. */
  readonly retryAfter: number | undefined

  constructor(code: 400 | 404 | 429 | 500, text: string, retryAfter?: number) {
    super(text)
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** Creates the 404 for a path that no handler serves, outside of the API. */
export const pageNotFound = (): PlainTextError => new PlainTextError(404, '404 page not found')

/** The response of Go's HTTP server to a malformed request. */
export const badRequestLine = (): PlainTextError => new PlainTextError(400, '400 Bad Request')
