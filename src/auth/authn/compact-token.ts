import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'

/** Parts of a signed token in compact form (RFC 7515). Nothing in it is trusted until the signature is verified. */
export interface CompactToken {
  readonly text: string
  readonly algorithm: string
  /** Empty if the header has none. */
  readonly keyId: string
  /** Whether the header has critical extensions, none of which is supported. */
  readonly isCritical: boolean
  readonly claims: JsonObject
}

/**
 * Maximum length of a token. Bounded because unauthenticated clients can send tokens, which are parsed before
 * verification.
 */
const MAX_TOKEN_LENGTH = 64 * 1024
const BASE64URL = /^[A-Za-z0-9_-]*$/

const isBase64 = (part: string): boolean => BASE64URL.test(part) && part.length % 4 !== 1

/** Decodes a base64url part as a JSON object. Undefined if it is malformed. */
function objectIn(part: string): JsonObject | undefined {
  if (!isBase64(part)) return undefined
  try {
    const value: Json = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Splits a token into header, claims and signature. Undefined if it is too long or has another number of parts. */
function partsOf(token: string): readonly string[] | undefined {
  const parts = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.', 4)
  return parts.length === 3 ? parts : undefined
}

/** Parses a token. Undefined if it is not a signed JWT. */
export function parseCompact(token: string): CompactToken | undefined {
  const [first = '', second = '', third = '.'] = partsOf(token) ?? []
  const claims = objectIn(second)
  const header = claims && objectIn(first)
  if (claims === undefined || header === undefined || !isBase64(third)) return undefined
  const { alg, kid } = header
  if ((alg !== undefined && typeof alg !== 'string') || (kid !== undefined && typeof kid !== 'string')) return undefined
  return { text: token, algorithm: alg ?? '', keyId: kid ?? '', isCritical: 'crit' in header, claims }
}

/** Returns the unverified claims of a token. Undefined if it is malformed. */
export const untrustedClaims = (token: string): JsonObject | undefined => objectIn(partsOf(token)?.[1] ?? '')
