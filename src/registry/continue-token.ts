import type { Json } from '../api/meta/object.ts'
import { parseJson } from '../codec/json.ts'
import { errorMessage } from '../lib/error-message.ts'
import { parseInteger } from '../lib/integer.ts'
import { type Key, key, type Revision, revision } from '../storage/revision.ts'

/** Position of the next page of a list. */
export interface ContinueToken {
  /** The first key that may be on the page, inclusive. */
  readonly start: Key
  /**
   * Revision that all pages of the list are read at. -1 continues at the latest one, after the original was compacted.
   */
  readonly revision: Revision | -1
}

/** A token that cannot be decoded. The message is upstream's, without the prefix `invalid continue token: `. */
export class ContinueTokenError extends Error {
  override readonly name = 'ContinueTokenError'
}

/** Version that upstream writes, too: tokens of its servers are accepted. */
const VERSION = 'meta.k8s.io/v1'
/** Beginning of upstream's messages. */
const INVALID = 'continue key is not valid'

/**
 * Encodes a token as upstream does: base64url without padding of `{"v","rv","start"}`. `start` is relative to the
 * prefix.
 */
export function encodeContinue(start: Key, prefix: Key, at: Revision | -1): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: at, start: start.slice(prefix.length) })).toString('base64url')
}

/**
 * Decodes a token. Throws a ContinueTokenError with Go's message. Segments `..`, `.` and empty ones are rejected, so
 * that a start key cannot leave the prefix. Source: pkg/storage/continue.go in k8s.io/apiserver.
 */
export function decodeContinue(token: string, prefix: Key): ContinueToken {
  const bad = base64urlError(token)
  if (bad !== undefined) throw new ContinueTokenError(`${INVALID}: illegal base64 data at input byte ${bad}`)
  const { v, rv, start } = readFields(Buffer.from(token, 'base64url'))
  if (v !== VERSION) throw new ContinueTokenError(`${INVALID}: server does not recognize this encoded version ${v}`)
  if (rv === 0n) throw new ContinueTokenError(`${INVALID}: incorrect encoded start resourceVersion (version ${VERSION})`)
  if (start === '') throw new ContinueTokenError(`${INVALID}: encoded start key empty (version ${VERSION})`)
  const rooted = start.startsWith('/') ? start : `/${start}`
  if (clean(rooted) !== rooted) throw new ContinueTokenError(`${INVALID}: ${start}`)
  return { start: key(prefix + rooted.slice(1)), revision: rv < 0n ? -1 : revision(Math.min(Number(rv), Number.MAX_SAFE_INTEGER - 1)) }
}

/** Members of a token as Go's zero values and types. */
interface TokenFields {
  v: string
  /** Revision as an int64. 0 if it is absent. */
  rv: bigint
  /** Key relative to the prefix, perhaps without its leading slash. */
  start: string
}

/**
 * Reads the members as Go's encoding/json reads a struct: names match in any case, null leaves the zero value, and the
 * first member of a wrong type is the error.
 */
function readFields(text: Buffer): TokenFields {
  let value: Json
  try {
    ;({ value } = parseJson(text))
  } catch (error) {
    throw new ContinueTokenError(`${INVALID}: ${errorMessage(error)}`)
  }
  const fields: TokenFields = { v: '', rv: 0n, start: '' }
  if (value === null) return fields
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ContinueTokenError(`${INVALID}: json: cannot unmarshal ${goJsonType(value)} into Go value of type storage.continueToken`)
  for (const [member, given] of Object.entries(value)) {
    const name = member.toLowerCase()
    if (given === null || (name !== 'v' && name !== 'rv' && name !== 'start')) continue
    const mistyped = (what: string, type: string) =>
      new ContinueTokenError(`${INVALID}: json: cannot unmarshal ${what} into Go struct field continueToken.${name} of type ${type}`)
    if (name !== 'rv') {
      if (typeof given !== 'string') throw mistyped(goJsonType(given), 'string')
      fields[name] = given
      continue
    }
    if (typeof given !== 'number' && typeof given !== 'bigint') throw mistyped(goJsonType(given), 'int64')
    const literal = /"rv"\s*:\s*(-?\d[\d.eE+-]*)/i.exec(text.toString())?.[1] ?? String(given)
    if (!/^-?\d+$/.test(literal) || BigInt.asIntN(64, parseInteger(literal)) !== parseInteger(literal))
      throw mistyped(`number ${literal}`, 'int64')
    fields.rv = BigInt(literal)
  }
  return fields
}

/** The name of a JSON type in error messages of Go's encoding/json. */
function goJsonType(value: Json): string {
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    case 'object':
      return 'object'
    default:
      return 'number'
  }
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

/**
 * The offset at which Go's RawURLEncoding reports corrupt input; undefined if the text is valid. Line ends are skipped.
 */
function base64urlError(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_\-\r\n]/)
  if (at >= 0) return at
  return text.replace(/[\r\n]/g, '').length % 4 === 1 ? text.length - 1 : undefined
}
