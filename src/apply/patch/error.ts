/**
 * Why a patch cannot be applied. The registry makes a Status of the code:
 * `bad request` 400 with the message · `too large` 413 with the message · `unprocessable` 422 with the generic text that upstream gives ("the server rejected
 * our request due to an error in our request", empty details; the message is for logs) · `internal` 500 with the message, no reason and no details.
 */
export type PatchErrorCode = 'bad request' | 'too large' | 'unprocessable' | 'internal'

/** A patch that cannot be applied. The handler, which knows the request, makes the Status. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  readonly code: PatchErrorCode

  constructor(code: PatchErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A `test` operation found another value: the document is not what the patch was made for. */
export class PatchTestError extends PatchError {
  constructor(message: string) {
    super('unprocessable', message)
  }
}
