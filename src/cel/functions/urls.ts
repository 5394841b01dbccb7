import { type GoUrl, GoUrlError, parseGoUrl } from '../../meta/go-url.ts'
import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { CelError, CelObject, noSuchOverload, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** A value of `url()`: an absolute URL or path. */
export class UrlValue extends CelObject {
  readonly typeName = 'kubernetes.URL'
  readonly url: GoUrl
  readonly #text: string

  constructor(url: GoUrl, text: string) {
    super()
    this.url = url
    this.#text = text
  }

  equals(other: Value): boolean | CelError {
    return other instanceof UrlValue ? this.#text === other.#text : noSuchOverload(other)
  }
}

/** Validates a text as url.ParseRequestURI does. Throws GoUrlError. */
function checkRequestUri(text: string): void {
  if (text === '*') return
  if (text === '') throw new GoUrlError(text, 'empty url')
  const isPath = text.startsWith('/') || text.startsWith(':') || /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have another error message
  if (!isPath && !/[\u0000-\u001f\u007f]/.test(text)) throw new GoUrlError(text, 'invalid URI for request')
  // A request URI has no fragment: `#` is an ordinary character.
  parseGoUrl(text.replaceAll('#', '%23'))
}

/**
 * Parses a URL. Source: kubernetes/apiserver, pkg/cel/library/urls.go, which calls url.ParseRequestURI and then
 * url.Parse.
 */
function fromText(text: string): Value {
  try {
    checkRequestUri(text)
    return new UrlValue(parseGoUrl(text), text)
  } catch (fault) {
    if (fault instanceof GoUrlError) return new CelError(`URL parse error during conversion from string: ${fault.message}`)
    throw fault
  }
}

/** Returns the error of a text that is not a valid request URI. Undefined if it is valid. */
export function requestUriFault(text: string): string | undefined {
  try {
    checkRequestUri(text)
    return undefined
  } catch (fault) {
    if (fault instanceof GoUrlError) return fault.message
    throw fault
  }
}

/** Returns the host without the port, and without the brackets of an IPv6 address. */
function hostname({ host }: GoUrl): string {
  const colon = portColon(host)
  const name = colon < 0 ? host : host.slice(0, colon)
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
}

/** Returns the index of the colon before the port, or -1. */
function portColon(host: string): number {
  const colon = host.lastIndexOf(':')
  return colon >= 0 && /^\d*$/.test(host.slice(colon + 1)) ? colon : -1
}

/** Returns the port. Empty if the URL has none; the default port of the scheme is not added. */
function port({ host }: GoUrl): string {
  const colon = portColon(host)
  return colon < 0 ? '' : host.slice(colon + 1)
}

/** Characters of a path that are escaped. */
const PATH = /[^A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]/gu

/** Implements Go's URL.EscapedPath. */
const escapedPath = ({ path }: GoUrl): string => path.replace(PATH, char => encodeURIComponent(char))

/** Decodes a part of a query, where a plus is a space. Undefined if an escape is invalid. */
function unescapeQuery(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined
  const bytes = text
    .replaceAll('+', ' ')
    .split(/(%[0-9a-fA-F]{2})/)
    .map(part => (/^%[0-9a-fA-F]{2}$/.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part)))
  return Buffer.concat(bytes).toString('utf8')
}

/**
 * Implements Go's ParseQuery: pairs with a semicolon or an invalid escape are skipped, and a key can have several
 * values.
 */
function query({ query: text }: GoUrl): Value {
  const values = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    const key = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals))
    const value = unescapeQuery(equals < 0 ? '' : pair.slice(equals + 1))
    if (key === undefined || value === undefined) continue
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return new ValueMap(Array.from(values, ([key, list]) => [key, listOfValues(list)] as const))
}

const part =
  (of: (url: GoUrl) => Value) =>
  ({ url }: UrlValue): Value =>
    of(url)

/** Functions of URLs. Source: kubernetes/apiserver, pkg/cel/library/urls.go. */
export const URL_FUNCTIONS: Implementations = {
  url_get_escaped_path: part(escapedPath),
  url_get_host: part(({ host }) => host),
  url_get_hostname: part(hostname),
  url_get_port: part(port),
  url_get_query: part(query),
  url_get_scheme: part(({ scheme }) => scheme),
  is_url_string: (text: string) => requestUriFault(text) === undefined,
  string_to_url: fromText,
}
