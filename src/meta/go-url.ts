import { quote } from './field-error.ts'

/** The parts of a URL that checks look at, as Go's net/url has them: the scheme in lower case, the rest as it stands. */
export interface GoUrl {
  readonly scheme: string
  readonly user: string | undefined
  /** With the port, where there is one. */
  readonly host: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

/** A text that Go's url.Parse refuses, with its message. */
export class GoUrlError extends Error {
  constructor(text: string, reason: string) {
    super(`parse ${quote(text)}: ${reason}`)
  }
}

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/

/** Splits a URL as Go's url.Parse does, more leniently than WHATWG's URL. Throws a GoUrlError. */
export function parseGoUrl(text: string): GoUrl {
  const fail = (reason: string): never => {
    throw new GoUrlError(text, reason)
  }
  const [withoutFragment, fragment] = cut(text, '#')
  if (CONTROL.test(withoutFragment)) fail('net/url: invalid control character in URL')
  if (withoutFragment.startsWith(':')) fail('missing protocol scheme')
  const scheme = SCHEME.exec(withoutFragment)?.[0].slice(0, -1) ?? ''
  const [rest, query] = cut(withoutFragment.slice(scheme === '' ? 0 : scheme.length + 1), '?')
  const parts = { scheme: scheme.toLowerCase(), user: undefined, host: '', path: rest, query, fragment }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, path: '' }
    if (rest.split('/', 1)[0]?.includes(':')) fail('first path segment in URL cannot contain colon')
  }
  const authority = rest.startsWith('//') && !rest.startsWith('///') ? (rest.slice(2).split('/', 1)[0] ?? '') : ''
  const path = authority === '' ? rest : rest.slice(2 + authority.length)
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  checkHost(host, fail)
  for (const part of [path, fragment]) {
    const bad = BAD_ESCAPE.exec(part)
    if (bad) fail(`invalid URL escape ${quote(part.slice(bad.index, bad.index + 3))}`)
  }
  return { ...parts, host, path, user: at < 0 ? undefined : authority.slice(0, at) }
}

function checkHost(host: string, fail: (reason: string) => never): void {
  const bracket = host.lastIndexOf(']')
  if (host.startsWith('[') && bracket < 0) fail("missing ']' in host")
  const bad = /[ "<>\\^`{|}]/.exec(host)
  if (bad) fail(`invalid character ${quote(bad[0])} in host name`)
  const afterName = host.startsWith('[') ? host.slice(bracket + 1) : host.slice(host.includes(':') ? host.lastIndexOf(':') : host.length)
  if (afterName !== '' && !/^:\d*$/.test(afterName)) fail(`invalid port ${quote(afterName)} after host`)
}

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
