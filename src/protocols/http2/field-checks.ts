/** Header fields about a connection, which HTTP/2 does not have (RFC 9113, section 8.2.2). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/**
 * Without blanks at either end. Of control characters no more than the tab, as over HTTP/1.1: what has one may mean something to a terminal, or to a program that it is passed on to. Written for speed: one
 * look at each character.
 */
const VALID_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

/** Reports whether the name is that of a pseudo-header. */
export const isPseudo = (name: string): boolean => name.startsWith(':')

/** Reports whether a message of HTTP/2 may have a field by its name and value. Which pseudo-headers there are, and where, is for `readHead`. */
export function isField(name: string, value: string): boolean {
  if (!VALID_VALUE.test(value)) return false
  if (isPseudo(name)) return true
  if (!NAME.test(name) || OF_CONNECTION.has(name)) return false
  return name !== 'te' || value === 'trailers'
}

/** The same for all fields of a message: names and values in turn. */
export function areFields(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (!isField(fields[i] ?? '', fields[i + 1] ?? '')) return false
  return true
}
