/**
 * Thrown through a running expression by a value that is not there yet: the answer of an authorizer, a variable that takes more than one turn of the event loop. The caller of the
 * expression waits, and runs it again: expressions have no effects.
 */
export class ValuePending extends Error {
  override readonly name = 'ValuePending'
  /** Resolves when the value is there; rejects where it cannot be had. */
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    super('a value of the expression is awaited')
    this.ready = ready
  }
}
