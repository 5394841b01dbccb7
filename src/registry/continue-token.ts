import { parseJson } from '../codec/json.ts'
import type { Key, Revision } from '../storage/revision.ts'
import { key, revision } from '../storage/revision.ts'

/** A page to continue with: the first key that may be on it, and the revision of the whole chain; -1 goes on at the newest one. */
export interface ContinueToken {
  readonly start: Key
  readonly revision: Revision | -1
}

export class ContinueTokenError extends Error {
  override readonly name = 'ContinueTokenError'
}

const VERSION = 'meta.k8s.io/v1'
const INVALID = 'continue key is not valid'

/** Upstream's form: base64url without padding of `{"v","rv","start"}`, the start key below the prefix. */
export function encodeContinue(start: Key, prefix: Key, at: Revision | -1): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: at, start: start.slice(prefix.length) })).toString('base64url')
}

/** Throws ContinueTokenError. A start key can't leave its prefix: it must be clean, without `..`, `.` or empty segments. */
export function decodeContinue(token: string, prefix: Key): ContinueToken {
  const bad = base64urlError(token)
  if (bad !== undefined) throw new ContinueTokenError(`${INVALID}: illegal base64 data at input byte ${bad}`)
  let fields: Record<string, unknown>
  try {
    fields = parseJson(Buffer.from(token, 'base64url')).value as Record<string, unknown>
  } catch (error) {
    throw new ContinueTokenError(`${INVALID}: ${(error as Error).message}`)
  }
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields))
    throw new ContinueTokenError(`${INVALID}: json: cannot unmarshal into Go value of type storage.continueToken`)
  if (fields.v !== VERSION) throw new ContinueTokenError(`${INVALID}: server does not recognize this encoded version ${fields.v ?? ''}`)
  const rv = fields.rv
  if (rv === undefined || rv === 0) throw new ContinueTokenError(`${INVALID}: incorrect encoded start resourceVersion (version ${VERSION})`)
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv))
    throw new ContinueTokenError(`${INVALID}: json: cannot unmarshal into Go struct field continueToken.rv of type int64`)
  const start = fields.start
  if (typeof start !== 'string' || start === '') throw new ContinueTokenError(`${INVALID}: encoded start key empty (version ${VERSION})`)
  const rooted = start.startsWith('/') ? start : `/${start}`
  if (clean(rooted) !== rooted) throw new ContinueTokenError(`${INVALID}: ${start}`)
  return { start: key(prefix + rooted.slice(1)), revision: rv < 0 ? -1 : revision(rv) }
}

/** Go's path.Clean for a rooted path. */
function clean(path: string): string {
  const out: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') out.pop()
    else out.push(segment)
  }
  return `/${out.join('/')}`
}

/** The offset at which Go's decoder of unpadded base64url stops, if it does. */
function base64urlError(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_-]/)
  if (at >= 0) return at
  return text.length % 4 === 1 ? text.length - 1 : undefined
}
