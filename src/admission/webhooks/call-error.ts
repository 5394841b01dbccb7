/**
 * The webhook could not be reached or its response was invalid. It has not rejected the request. The message is in
 * client-go's words.
 */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'
  /** Label of metrics: the status code of the response, 400 without one. */
  readonly code: number
  /** Whether the request that waited for the call was canceled. */
  readonly canceled: boolean
  /** Whether the clientConfig is invalid, so that no call was made. */
  readonly isConfiguration: boolean

  constructor(message: string, options: { readonly code?: number; readonly canceled?: boolean; readonly isConfiguration?: boolean } = {}) {
    super(message)
    this.code = options.code ?? 400
    this.canceled = options.canceled ?? false
    this.isConfiguration = options.isConfiguration ?? false
  }
}
