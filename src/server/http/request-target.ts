import { unescapePath } from '../../lib/url.ts'
import { MAX_PATH_LENGTH } from '../limits.ts'

/** Why a request's path is invalid. */
export type TargetFault = 'path too long' | 'invalid escape'

/** Path and query of a request's URL. */
export interface RequestTarget {
  /** Percent-decoded. The raw path if its escapes are invalid, `/` if it is too long. */
  readonly path: string
  /** The raw query, without `?`. */
  readonly search: string
  readonly fault: TargetFault | undefined
}

/**
 * Splits the URL of a request. A fault is returned, not thrown: such a request is logged, counted and refused like any
 * other.
 */
export function parseTarget(url: string): RequestTarget {
  const mark = url.indexOf('?')
  const search = mark < 0 ? '' : url.slice(mark + 1)
  const raw = rawPathOf(url)
  if (raw.length > MAX_PATH_LENGTH) return { path: '/', search, fault: 'path too long' }
  const path = raw.includes('%') ? unescapePath(raw) : raw
  return { path: path ?? raw, search, fault: path === undefined ? 'invalid escape' : undefined }
}

/** Returns the path of a URL without decoding it. */
export function rawPathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i

/**
 * Returns path and query of a target in absolute form, whose host takes precedence over the Host header (RFC 9112,
 * section 3.2.2). Other targets are returned unchanged.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const [start] = ABSOLUTE.exec(target) ?? []
  if (start === undefined) return target
  const rest = target.slice(start.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
