import { isJsonObject, type Json } from '../../../api/meta/object.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote, quoteAll } from '../../../lib/go-quote.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { trimFraction } from '../../../meta/time.ts'
import { parseCompact } from '../compact-token.ts'
import { type Claims, claimOf, secondsOf, stringOf, stringsOf } from './claims.ts'
import type { KeySet } from './key-set.ts'
import { isIssuer } from './untrusted-issuer.ts'

/** Validation rules for tokens of one issuer. */
export interface TokenRules {
  readonly issuer: string
  readonly keys: KeySet
  readonly audiences: readonly string[]
  readonly algorithms: readonly string[]
  /** Determines the order of checks, and so which of several errors is reported. */
  readonly release: Release
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Allowed clock skew before `nbf`. */
const LEEWAY_SECONDS = 60
/** Go's zero time, in seconds since the epoch. */
const ZERO_TIME = -62_135_596_800

/**
 * Verifies issuer, signature, audience and validity period of a token and returns its claims. Throws an Error with
 * go-oidc's message.
 */
export async function verifyIdToken(text: string, rules: TokenRules): Promise<Claims> {
  const token = parseCompact(text)
  if (token === undefined) throw new Error('oidc: malformed jwt: go-jose/go-jose: compact JWS format must have three parts')
  const { algorithm, claims } = token
  const checkSignature = async (): Promise<void> => {
    if (!rules.algorithms.includes(algorithm))
      throw new Error(`oidc: id token signed with unsupported algorithm, expected ${quoteAll(rules.algorithms)} got ${quote(algorithm)}`)
    await rules.keys.check(token).catch((error: unknown) => {
      throw new Error(`failed to verify signature: ${errorMessage(error)}`)
    })
  }
  const isSignatureFirst = isSince(rules.release, '1.36')
  if (isSignatureFirst) await checkSignature()
  const audiences = checkClaims(claims, rules)
  if (!isSignatureFirst) await checkSignature()
  // go-oidc does not support several audiences, so upstream checks them afterwards.
  if (rules.audiences.length > 1 && !rules.audiences.some(audience => audiences.includes(audience)))
    throw new Error(`oidc: expected audience in ${quoteAll(rules.audiences.toSorted())} got ${quoteAll(audiences)}`)
  return claims
}

/** Checks issuer, audience and validity period. Returns the audiences of the token. */
function checkClaims(claims: Claims, { issuer, audiences: wanted, now }: TokenRules): readonly string[] {
  const { named, audiences, expiry, notBefore } = standardClaims(claims)
  if (!isIssuer(named, issuer))
    throw new Error(`oidc: id token issued by a different provider, expected ${quote(issuer)} got ${quote(named)}`)
  const [only = ''] = wanted
  if (wanted.length === 1 && !audiences.includes(only)) throw new Error(`oidc: expected audience ${quote(only)} got ${quoteAll(audiences)}`)
  const seconds = now() / 1000
  if (expiry < seconds) throw new Error(`oidc: token is expired (Token Expiry: ${goTime(expiry)})`)
  if (notBefore !== undefined && seconds + LEEWAY_SECONDS < notBefore)
    throw new Error(`oidc: current time ${goTime(seconds)} before the nbf (not before) time: ${goTime(notBefore)}`)
  return audiences
}

interface StandardClaims {
  readonly named: string
  readonly audiences: readonly string[]
  readonly expiry: number
  readonly notBefore: number | undefined
}

/** Decodes the registered claims, in go-oidc's order, which determines the reported error. */
function standardClaims(claims: Claims): StandardClaims {
  const read = <T>(name: string, decode: (value: Json) => T, otherwise: T): T => {
    const value = claimOf(claims, name)
    return value === undefined ? otherwise : decode(value)
  }
  try {
    for (const name of ['sub', 'nonce', 'at_hash']) read(name, stringOf, '')
    read('iat', secondsOf, 0)
    checkSources(claims)
    const found = {
      named: read('iss', stringOf, ''),
      audiences: read('aud', stringsOf, []),
      expiry: read('exp', secondsOf, ZERO_TIME),
      notBefore: claimOf(claims, 'nbf') === null ? undefined : read<number | undefined>('nbf', secondsOf, undefined),
    }
    return found
  } catch (error) {
    if (error instanceof SourceError) throw error
    throw new Error(`oidc: failed to unmarshal claims: ${errorMessage(error)}`)
  }
}

/** Distributed claims without a valid source. */
class SourceError extends Error {}

/** Checks that every distributed claim names an existing source. Throws a SourceError. */
function checkSources(claims: Claims): void {
  const { _claim_names: names = null, _claim_sources: sources = null } = claims
  if (names === null) return
  for (const source of Object.values(stringsIn(names))) {
    if (source === '') throw new SourceError('oidc: failed to obtain source from claim name')
    if (!isSourceIn(sources, source)) throw new SourceError('oidc: source does not exist')
  }
}

/** Decodes an object of strings. Throws an Error with the message of Go's encoding/json. */
export function stringsIn(value: Json): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type map[string]string`)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, stringOf(member)]))
}

const isSourceIn = (sources: Json, name: string): boolean => isJsonObject(sources) && Object.hasOwn(sources, name)

/** Formats a time as Go's `%v`, in UTC. */
function goTime(seconds: number): string {
  if (seconds < ZERO_TIME || seconds > 253_402_300_799) return `${seconds}`
  return `${trimFraction(new Date(seconds * 1000).toISOString())
    .slice(0, -1)
    .replace('T', ' ')} +0000 UTC`
}
