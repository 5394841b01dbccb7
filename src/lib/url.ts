import { textBefore } from './split-text.ts'

/** Parts of a URL (RFC 3986), unchanged. Only `path` is always present. */
export interface UrlParts {
  readonly scheme: string | undefined
  readonly host: string | undefined
  readonly path: string
  /** Includes the leading `?`. Empty if there is no query. */
  readonly query: string
  /** Includes the leading `#`. Empty if there is no fragment. */
  readonly fragment: string
}

/** Splits a URL. Undefined for an invalid escape or a control character, which Go's url.Parse rejects. */
export function parseUrl(text: string): UrlParts | undefined {
  const [whole, fragment] = splitBefore(text, '#')
  const [hierarchy, query] = splitBefore(whole, '?')
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(hierarchy)?.[1]
  const rest = scheme === undefined ? hierarchy : hierarchy.slice(scheme.length + 1)
  const host = /^\/\/([^/]*)/.exec(rest)?.[1]
  const path = host === undefined ? rest : rest.slice(host.length + 2)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (/[\x00-\x1f\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(path)) return undefined
  return { scheme, host, path, query, fragment }
}

/** Splits a text before the first separator. The rest begins with the separator. */
function splitBefore(text: string, separator: string): [before: string, rest: string] {
  const before = textBefore(text, separator)
  return [before, text.slice(before.length)]
}

/** Joins the parts of a URL. The inverse of `parseUrl`. */
export const printUrl = ({ scheme, host, path, query, fragment }: UrlParts): string =>
  `${scheme === undefined ? '' : `${scheme}:`}${host === undefined ? '' : `//${host}`}${path}${query}${fragment}`

/** Escapes the characters that a path cannot contain, like Go. Slashes are kept. */
export const escapePath = (path: string): string =>
  [...Buffer.from(path)]
    .map(byte => (UNESCAPED.has(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`))
    .join('')

const UNESCAPED: ReadonlySet<number> = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@'))

/** Decodes the escapes of a path. Undefined if they are invalid. */
export function unescapePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Joins paths as Go's path.Join: one slash between parts, `.` and `..` resolved, no slash at the end. */
export function joinPaths(...parts: readonly string[]): string {
  const joined = parts.filter(part => part !== '').join('/')
  if (joined === '') return ''
  const rooted = joined.startsWith('/')
  const out: string[] = []
  for (const segment of joined.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') out.push(segment)
    else if (out.length > 0 && out.at(-1) !== '..') out.pop()
    else if (!rooted) out.push('..')
  }
  const path = `${rooted ? '/' : ''}${out.join('/')}`
  return path === '' ? '.' : path
}

/** Like `joinPaths`, but keeps a slash at the end of the last part. */
export function joinKeepingSlash(...parts: readonly string[]): string {
  const path = joinPaths(...parts)
  const last = parts.findLast(part => part !== '') ?? ''
  return last.endsWith('/') && !path.endsWith('/') ? `${path}/` : path
}
