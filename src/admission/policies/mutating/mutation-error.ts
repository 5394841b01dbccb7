/** Failure of a mutation, in upstream's words. The failurePolicy decides whether the request fails. */
export class MutationError extends Error {
  override readonly name = 'MutationError'
}
