import { StatusError, timeoutError } from '../../meta/status.ts'
import type { StatusBody } from './status-body.ts'

/**
 * The deadline of a request has passed. Upstream's timeout filter bypasses content negotiation: it writes the JSON of
 * the Status without its apiVersion and kind, and Go guesses the Content-Type.
 */
export class DeadlineError extends StatusError {
  constructor() {
    super({ ...timeoutError('request did not complete within the allotted timeout', 0).status, details: {} })
  }

  get answer(): StatusBody<Buffer> {
    const { kind: _kind, apiVersion: _apiVersion, ...bare } = this.status
    return { contentType: 'text/plain; charset=utf-8', bytes: Buffer.from(`${JSON.stringify(bare)}\n`) }
  }
}
