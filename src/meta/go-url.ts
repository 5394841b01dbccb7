import { isIPv6 } from 'node:net'
import { quote } from '../lib/go-quote.ts'
import { textBefore } from '../lib/split-text.ts'

/** Parts of a URL as in Go's net/url: the scheme in lower case, the others unchanged. */
export interface GoUrl {
  /** Empty if the URL has none. */
  readonly scheme: string
  /** Text before the last `@` of the authority, escapes included. Undefined without one. */
  readonly user: string | undefined
  /** Includes the port, if any. */
  readonly host: string
  /** Path with its escapes. Empty for a URL such as `mailto:ann`, whose rest Go calls opaque. */
  readonly path: string
  /** Text after the first question mark. */
  readonly query: string
  /** Text after the first hash sign. */
  readonly fragment: string
}

/** A text that Go's url.Parse rejects, with its message. */
export class GoUrlError extends Error {
  constructor(text: string, reason: string) {
    super(`parse ${quote(text)}: ${reason}`)
  }
}

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/
/** Matches a percent sign that does not begin an escape. */
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/

/** Splits a URL like Go's url.Parse, which accepts more than the WHATWG URL parser. Throws a GoUrlError. */
export function parseGoUrl(text: string): GoUrl {
  const fail = (reason: string): never => {
    throw new GoUrlError(text, reason)
  }
  const [withoutFragment, fragment] = cutAt(text, '#')
  if (CONTROL.test(withoutFragment)) fail('net/url: invalid control character in URL')
  if (withoutFragment.startsWith(':')) fail('missing protocol scheme')
  const scheme = SCHEME.exec(withoutFragment)?.[0].slice(0, -1) ?? ''
  const [rest, query] = cutAt(withoutFragment.slice(scheme === '' ? 0 : scheme.length + 1), '?')
  const parts = { scheme: scheme.toLowerCase(), user: undefined, host: '', path: rest, query, fragment }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, path: '' }
    if (rest.split('/', 1)[0]?.includes(':')) fail('first path segment in URL cannot contain colon')
  }
  const authority = rest.startsWith('//') && !rest.startsWith('///') ? textBefore(rest.slice(2), '/') : ''
  const path = authority === '' ? rest : rest.slice(2 + authority.length)
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  checkHost(host, fail)
  for (const part of [path, fragment]) {
    const bad = BAD_ESCAPE.exec(part)
    if (bad) fail(`invalid URL escape ${quote(part.slice(bad.index, bad.index + 3))}`)
  }
  return { ...parts, host: unescapedHost(host), path, user: at < 0 ? undefined : authority.slice(0, at) }
}

/**
 * Returns a host without escapes, as Go stores it. Escapes stand for bytes beyond ASCII, and for the percent sign of a
 * zone.
 */
function unescapedHost(host: string): string {
  return host.replace(/(?:%[0-9a-fA-F]{2})+/g, escapes => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString())
}

/**
 * Checks a host with its port. An address in brackets is IPv6. Escapes may only stand for bytes beyond ASCII, or begin
 * a zone.
 */
function checkHost(host: string, fail: (reason: string) => never): void {
  if (host.includes('[')) checkAddress(host, fail)
  else {
    const colon = host.lastIndexOf(':')
    if (colon >= 0) checkPort(host.slice(colon), fail)
  }
  const zone = host.startsWith('[') ? host.indexOf('%25') : -1
  const name = zone < 0 ? host : host.slice(0, zone)
  const badEscape = /%(?![89a-fA-F][0-9a-fA-F]|25)[\s\S]{0,2}/.exec(name)
  if (badEscape) fail(`invalid URL escape ${quote(badEscape[0])}`)
  const bad = /[ \\^`{|}]/.exec(host)
  if (bad) fail(`invalid character ${quote(bad[0])} in host name`)
}

/** Checks an address in brackets, which may have a zone, and the port after it. */
function checkAddress(host: string, fail: (reason: string) => never): void {
  const end = host.lastIndexOf(']')
  if (end < 0) fail("missing ']' in host")
  checkPort(host.slice(end + 1), fail)
  const address = host.slice(1, end)
  if (!host.startsWith('[') || !isIPv6(textBefore(address, '%25'))) fail('invalid IP-literal')
}

/** An empty port after the colon is valid, as in Go. */
function checkPort(text: string, fail: (reason: string) => never): void {
  if (text !== '' && !/^:\d*$/.test(text)) fail(`invalid port ${quote(text)} after host`)
}

/** Characters of the user that Go accepts. Source: validUserinfo of net/url. */
const USERINFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/

/**
 * Reports whether the text is valid in a request line: an absolute path, or a URL with a scheme. A fragment is not
 * recognized there. Source: Go's url.ParseRequestURI.
 */
export function isRequestUri(text: string): boolean {
  if (text === '' || CONTROL.test(text)) return false
  if (text === '*') return true
  const scheme = SCHEME.exec(text)?.[0] ?? ''
  const [rest] = cutAt(text.slice(scheme.length), '?')
  if (!rest.startsWith('/')) return scheme !== ''
  const authority = scheme !== '' && rest.startsWith('//') ? textBefore(rest.slice(2), '/') : ''
  const path = authority === '' ? rest : rest.slice(2 + authority.length)
  const at = authority.lastIndexOf('@')
  const user = authority.slice(0, Math.max(0, at))
  if (BAD_ESCAPE.test(path) || BAD_ESCAPE.test(user) || !USERINFO.test(user)) return false
  try {
    checkHost(authority.slice(at + 1), reason => {
      throw new GoUrlError(text, reason)
    })
    return true
  } catch (error) {
    if (error instanceof GoUrlError) return false
    throw error
  }
}

/** Splits at the first mark, like strings.Cut. Without one the second part is empty. */
function cutAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
