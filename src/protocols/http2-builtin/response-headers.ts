import type { OutgoingHttpHeaders } from 'node:http2'
import { eachField } from '../../lib/raw-fields.ts'
import { checkField } from '../http2/header-encoder.ts'

/**
 * The headers of an answer as `respond` takes them, from names and values in turn. Throws a TypeError where a header can't be sent: Node passes the fields on in one
 * text with NUL between them, so that a value with a NUL would be fields of its own.
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
