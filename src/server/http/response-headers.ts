import type { Warnings } from './warnings.ts'

/**
 * Returns the headers of a response, alternating names and values. `contentType`: empty to omit the header.
 * `extra`: headers that filters and endpoints have set. The list is a new one, and the caller may add to it.
 */
export function responseHeaders(auditId: string, contentType: string, extra?: readonly string[], warnings?: Warnings): string[] {
  const headers = ['Audit-Id', auditId, 'Cache-Control', 'no-cache, private', ...(contentType === '' ? [] : ['Content-Type', contentType])]
  if (extra !== undefined) headers.push(...extra)
  if (warnings !== undefined) for (const value of warnings.headers()) headers.push('Warning', value)
  return headers
}
