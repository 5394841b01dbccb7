import { errorMessage, prefixErrors } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { type Claims, claimOf, stringOf } from './claims.ts'
import { stringsIn, type TokenRules, verifyIdToken } from './id-token.ts'
import type { KeySet } from './key-set.ts'
import { type DiscoveryOptions, discoverKeys, untilDone } from './provider.ts'
import { untrustedIssuer } from './untrusted-issuer.ts'

/** Options of a ClaimResolver. */
export interface ResolverOptions extends DiscoveryOptions {
  /** Name of the claim to resolve. */
  readonly claim: string
  /**
   * Validation rules of the issuer's own tokens. Tokens from claim sources are validated alike, except for the issuer.
   */
  readonly rules: Omit<TokenRules, 'issuer' | 'keys'>
  readonly signal: AbortSignal
  readonly failed: (issuer: string, error: unknown) => void
}

/**
 * Maximum number of claim issuers. Few in practice, and only trusted tokens name them. The least recently used one is
 * evicted.
 */
const MOST_ISSUERS = 64

/**
 * Resolves a distributed claim (OpenID Connect Core 1.0, section 5.6.2). Keys of a claim issuer are fetched on first
 * use; until then its tokens are rejected.
 */
export class ClaimResolver {
  readonly #options: ResolverOptions
  /** Ordered by last use, most recent last. */
  readonly #issuers = new Map<string, { keys: KeySet | undefined; readonly forgotten: AbortController }>()

  constructor(options: ResolverOptions) {
    this.#options = options
  }

  /** Returns the claims with the distributed one included. Throws an Error with upstream's message. */
  async expand(claims: Claims): Promise<Claims> {
    const { claim } = this.#options
    const names = claimOf(claims, '_claim_names')
    if (claimOf(claims, claim) !== undefined || names === undefined) return claims
    const source = Object.entries(
      prefixErrors('oidc: error parsing distributed claim names', () => (names === null ? {} : stringsIn(names))),
    ).find(([name]) => name === claim)?.[1]
    const sources = claimOf(claims, '_claim_sources')
    if (sources === undefined) throw new Error('oidc: no claim sources')
    if (typeof sources !== 'object' || Array.isArray(sources))
      throw new Error('oidc: could not parse claim sources: json: cannot unmarshal into Go value of type map[string]oidc.endpoint')
    if (source === undefined) return claims
    const found = sources !== null && Object.hasOwn(sources, source) ? sources[source] : undefined
    if (found === undefined) throw new Error(`id token _claim_names contained a source ${source} missing in _claims_sources`)
    if (typeof found !== 'object' || found === null || Array.isArray(found))
      throw new Error('oidc: could not parse claim sources: json: cannot unmarshal into Go value of type oidc.endpoint')
    const { endpoint = '', access_token: accessToken = '' } = found
    if (endpoint === '') return claims
    return { ...claims, [claim]: await this.#resolve(stringOf(endpoint), stringOf(accessToken)) }
  }

  /**
   * Fetches the token of a claim source, verifies it, and returns the claim. Throws an Error with upstream's message.
   */
  async #resolve(endpoint: string, accessToken: string): Promise<Claims[string]> {
    const { claim, client, rules } = this.#options
    const token = await fetchToken(() => client.get(endpoint, accessToken)).catch((error: unknown) => {
      throw new Error(`while getting distributed claim ${quote(claim)}: ${errorMessage(error)}`)
    })
    const issuer = untrustedIssuer(token)
    if (issuer === undefined)
      throw new Error(`getting untrusted issuer from endpoint ${endpoint} failed for claim ${quote(claim)}: malformed token`)
    const keys = this.#keysOf(issuer)
    if (keys === undefined)
      throw new Error(`verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${quote(issuer)}`)
    const found = await verifyIdToken(token, { ...rules, issuer, keys }).catch((error: unknown) => {
      throw new Error(`verify distributed claim token: ${errorMessage(error)}`)
    })
    const value = claimOf(found, claim)
    if (value === undefined)
      throw new Error(`jwt returned by distributed claim endpoint ${quote(endpoint)} did not contain claim: ${claim}`)
    return value
  }

  /** Returns the keys of a claim issuer. Undefined if they are still being fetched. */
  #keysOf(issuer: string): KeySet | undefined {
    const known = this.#issuers.get(issuer)
    if (known) {
      this.#issuers.delete(issuer)
      this.#issuers.set(issuer, known)
      return known.keys
    }
    for (const [longest, { forgotten }] of this.#issuers) {
      if (this.#issuers.size < MOST_ISSUERS) break
      forgotten.abort()
      this.#issuers.delete(longest)
    }
    const made: { keys: KeySet | undefined; readonly forgotten: AbortController } = { keys: undefined, forgotten: new AbortController() }
    this.#issuers.set(issuer, made)
    const discover = async (): Promise<void> => {
      made.keys = await discoverKeys(issuer, '', this.#options)
    }
    untilDone(discover, error => this.#options.failed(issuer, error), AbortSignal.any([this.#options.signal, made.forgotten.signal]))
    return undefined
  }
}

async function fetchToken(get: () => Promise<{ readonly code: number; readonly status: string; readonly body: Buffer }>): Promise<string> {
  const { code, status, body } = await get()
  // 226 is the highest registered success code.
  if (code < 200 || code > 226) throw new Error(`error while getting distributed claim JWT: ${status}`)
  return body.toString()
}
