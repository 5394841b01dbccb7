import type { OutgoingHttpHeaders } from 'node:http2'
import { eachField } from '../../lib/raw-fields.ts'
import { checkField } from '../http2/header-encoder.ts'

/**
 * Converts alternating names and values to the headers of `respond`. Throws a TypeError if a header is invalid. Node
 * joins all fields with NUL, so a value that contains NUL would inject fields.
 */
export function responseHeaders(status: number, fields: readonly string[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ':status': status }
  eachField(fields, (name, value) => {
    checkField(name, value)
    const had = headers[name]
    headers[name] = had === undefined ? value : [...(Array.isArray(had) ? had : [String(had)]), value]
  })
  return headers
}
