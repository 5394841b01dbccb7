/**
 * Thrown through a running expression if a value is not available yet: the decision of an authorizer, or a variable
 * whose evaluation takes several turns. The caller waits for `ready` and evaluates the expression again, which is safe
 * because expressions have no side effects.
 */
export class ValuePending extends Error {
  override readonly name = 'ValuePending'
  /** Resolves when the value is available. Rejects if obtaining it failed. */
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    super('a value of the expression is awaited')
    this.ready = ready
  }
}
