import { STATUS_CODES } from 'node:http'

/**
 * Returns the value of a metric label for a status code. Backends can send any code: one that HTTP does not define
 * counts as the first of its class, as clients treat it (RFC 9110, section 15).
 */
export const statusCodeLabel = (code: number): string => (code in STATUS_CODES ? String(code) : `${String(code).charAt(0)}00`)
