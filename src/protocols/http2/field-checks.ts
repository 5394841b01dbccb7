/** Connection-specific header fields, which HTTP/2 forbids (RFC 9113, section 8.2.2). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/**
 * Valid values. No space or tab at either end, and no control characters except the tab, as in HTTP/1.1: they could
 * have a meaning for terminals or for programs behind this one. Each character is examined once.
 */
const VALID_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

export const isPseudo = (name: string): boolean => name.startsWith(':')

/** Reports whether a field is valid in an HTTP/2 message. `readHead` checks which pseudo-headers are allowed. */
export function isField(name: string, value: string): boolean {
  if (!VALID_VALUE.test(value)) return false
  if (isPseudo(name)) return true
  if (!NAME.test(name) || OF_CONNECTION.has(name)) return false
  return name !== 'te' || value === 'trailers'
}

/** Reports whether all fields of a message are valid. Names and values alternate. */
export function areFields(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (!isField(fields[i] ?? '', fields[i + 1] ?? '')) return false
  return true
}
