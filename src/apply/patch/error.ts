/**
 * Why a patch failed. The endpoint translates the code to a Status: `bad request` to 400 with the message · `too large`
 * to 413 with the message · `unprocessable` to 422 with upstream's generic message ("the server rejected our request
 * due to an error in our request", empty details; the error's own message is only logged) · `internal` to 500 with the
 * message, without reason and details.
 */
export type PatchErrorCode = 'bad request' | 'too large' | 'unprocessable' | 'internal'

/** A patch that cannot be applied. The endpoint, which has the request, makes the Status. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  readonly code: PatchErrorCode

  constructor(code: PatchErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A `test` operation of a JSON patch failed. */
export class PatchTestError extends PatchError {
  constructor(message: string) {
    super('unprocessable', message)
  }
}
