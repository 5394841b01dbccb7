/** A webhook that could not be reached, or did not answer as it should, in client-go's words. It has not refused anything. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'
  /** The label of metrics: the status code of its answer, 400 where there was none. */
  readonly code: number
  /** Nobody waits for the answer any more. */
  readonly canceled: boolean
  /** Nobody was called: where the webhook is can't be understood. */
  readonly isConfiguration: boolean

  constructor(message: string, options: { readonly code?: number; readonly canceled?: boolean; readonly isConfiguration?: boolean } = {}) {
    super(message)
    this.code = options.code ?? 400
    this.canceled = options.canceled ?? false
    this.isConfiguration = options.isConfiguration ?? false
  }
}
