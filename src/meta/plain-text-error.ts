/**
 * A failure that kube-apiserver answers in plain text, past everything that knows of a Status: `404 page not found`, and 500 for a request of which it cannot tell what it asks for. The text
 * of a 500 is the reason alone; the server puts the request's URL before it.
 */
export class PlainTextError extends Error {
  readonly code: 404 | 500

  constructor(code: 404 | 500, text: string) {
    super(text)
    this.code = code
  }
}

export const pageNotFound = (): PlainTextError => new PlainTextError(404, '404 page not found')
