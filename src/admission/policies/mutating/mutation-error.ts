/** Why a mutation of a policy can't be made, in upstream's words. The failure policy decides what becomes of the request. */
export class MutationError extends Error {
  override readonly name = 'MutationError'
}
