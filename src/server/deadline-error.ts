import { StatusError, timeoutError } from '../meta/status.ts'

/**
 * The deadline of a request has passed. Upstream answers past everything that negotiates: the JSON of the bare Status, without its type, and with a Content-Type that is guessed.
 */
export class DeadlineError extends StatusError {
  constructor() {
    super({ ...timeoutError('request did not complete within the allotted timeout', 0).status, details: {} })
  }

  get answer(): { readonly contentType: string; readonly bytes: Buffer } {
    const { kind: _kind, apiVersion: _apiVersion, ...bare } = this.status
    return { contentType: 'text/plain; charset=utf-8', bytes: Buffer.from(`${JSON.stringify(bare)}\n`) }
  }
}
