import { isJsonObject, type Json, type JsonObject } from '../../../meta/object.ts'
import type { Claims } from './claims.ts'

/** Parts of a signed token in compact form (RFC 7515). Nothing in it is trusted until the signature is verified. */
export interface CompactToken {
  readonly algorithm: string
  /** Empty if the header has none. */
  readonly keyId: string
  /** Whether the header has critical extensions, none of which is supported. */
  readonly isCritical: boolean
  readonly claims: Claims
  /** The signed part of the token. */
  readonly signed: string
  readonly signature: Buffer
}

/** Maximum length of a token. Bounded because unauthenticated clients can send tokens, which are parsed before verification. */
const MAX_TOKEN_LENGTH = 64 * 1024
const BASE64URL = /^[A-Za-z0-9_-]*$/

function bytesOf(part: string): Buffer | undefined {
  return BASE64URL.test(part) && part.length % 4 !== 1 ? Buffer.from(part, 'base64url') : undefined
}

/** Decodes a base64url part as a JSON object. Undefined if it is malformed. */
function objectIn(part: string): JsonObject | undefined {
  const bytes = bytesOf(part)
  if (bytes === undefined) return undefined
  try {
    const value: Json = JSON.parse(bytes.toString())
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parses a token. Undefined if it is not a signed JWT. */
export function parseCompact(token: string): CompactToken | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined
  const parts = token.split('.', 4)
  const [first = '', second = '', third = ''] = parts
  if (parts.length !== 3) return undefined
  const claims = objectIn(second)
  const header = claims && objectIn(first)
  const signature = bytesOf(third)
  if (claims === undefined || header === undefined || signature === undefined) return undefined
  const { alg, kid } = header
  if ((alg !== undefined && typeof alg !== 'string') || (kid !== undefined && typeof kid !== 'string')) return undefined
  return { algorithm: alg ?? '', keyId: kid ?? '', isCritical: 'crit' in header, claims, signed: `${first}.${second}`, signature }
}

const GOOGLE = 'https://accounts.google.com'

/** Unverified claim `iss`. Undefined if the token is malformed. Google once omitted the scheme. */
export function untrustedIssuer(token: string): string | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined
  const parts = token.split('.', 4)
  const claims = parts.length === 3 ? objectIn(parts[1] ?? '') : undefined
  if (claims === undefined) return undefined
  const { iss = '' } = claims
  if (typeof iss !== 'string') return undefined
  return isGoogle(iss) ? GOOGLE : iss
}

const isGoogle = (issuer: string): boolean => `https://${issuer}` === GOOGLE

/** Whether the claim `iss` matches the issuer. */
export const isIssuer = (named: string, issuer: string): boolean => named === issuer || (issuer === GOOGLE && isGoogle(named))
