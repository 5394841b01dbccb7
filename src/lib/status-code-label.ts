import { STATUS_CODES } from 'node:http'

/**
 * The value of a label for a status code. A backend may answer with any code: one that HTTP does not define counts as the first of its class, as which clients treat it (RFC 9110, 15).
 */
export const statusCodeLabel = (code: number): string => (code in STATUS_CODES ? String(code) : `${String(code).charAt(0)}00`)
