import { isJsonObject, type Json, type JsonObject } from '../../../meta/object.ts'
import type { Claims } from './claims.ts'

/** A signed token in its parts (RFC 7515, compact). Nothing in it is to be believed before its signature is checked. */
export interface CompactToken {
  readonly algorithm: string
  /** Empty: it names none. */
  readonly keyId: string
  /** Its header asks for more than is understood here. */
  readonly isCritical: boolean
  readonly claims: Claims
  /** What is signed. */
  readonly signed: string
  readonly signature: Buffer
}

/** Anybody can send one, and it is read before its signature is checked. */
const MAX_TOKEN_LENGTH = 64 * 1024
const BASE64URL = /^[A-Za-z0-9_-]*$/

function bytesOf(part: string): Buffer | undefined {
  return BASE64URL.test(part) && part.length % 4 !== 1 ? Buffer.from(part, 'base64url') : undefined
}

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

/** Undefined for what is no such token. */
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

/** The claim `iss`, unchecked; undefined for what is no token. Google once left the scheme out. */
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

/** Whether a token of an issuer may name it so. */
export const isIssuer = (named: string, issuer: string): boolean => named === issuer || (issuer === GOOGLE && isGoogle(named))
