import type { Json } from '../../../api/meta/object.ts'
import { parseCompact, untrustedClaims } from '../compact-token.ts'
import { isSignedBy } from '../token-signature.ts'
import type { VerificationKey } from './keys.ts'

/** Maximum number of cached verified tokens. The oldest is evicted first. */
const MOST_VERIFIED = 2_000

/** Returns the unverified claim `iss`. Empty if the token is not a JWT. */
export function issuerOf(token: string): string {
  const { iss } = untrustedClaims(token) ?? {}
  return typeof iss === 'string' ? iss : ''
}

/** Returns the keys that may have signed a token. May return more keys than those of the ID. */
export type KeysOf = (id?: string) => Promise<readonly VerificationKey[]>

/** A token with a verified signature. */
interface Verified<Claims> {
  readonly claims: Claims
  /** Key ID in its header. */
  readonly keyId: string | undefined
  /** Key that verified the signature. */
  readonly key: VerificationKey
}

/** Verifies tokens with the current keys. Verification is expensive, so results are cached per token and key. */
export class Verifier<Claims> {
  readonly #keys: KeysOf
  readonly #read: (payload: Json) => Claims | undefined
  readonly #verified = new Map<string, Verified<Claims>>()

  /** @param read parses the claims of a payload. Returns undefined if they are invalid. */
  constructor(keys: KeysOf, read: (payload: Json) => Claims | undefined) {
    this.#keys = keys
    this.#read = read
  }

  has(token: string): boolean {
    return this.#verified.has(token)
  }

  forget(token: string): void {
    this.#verified.delete(token)
  }

  /** Returns the claims of a token, or the error. */
  async claims(token: string): Promise<Claims | { readonly error: string }> {
    const known = this.#verified.get(token)
    // Fetched keys are new objects each time, so the signature is verified again after a fetch.
    if (known !== undefined && (await this.#keys(known.keyId)).includes(known.key)) return known.claims
    this.#verified.delete(token)
    const found = await this.#check(token)
    if (typeof found === 'string') return { error: found }
    const [oldest] = this.#verified.size >= MOST_VERIFIED ? this.#verified.keys() : []
    if (oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(token, found)
    return found.claims
  }

  /** Verifies a token with the keys of its ID, or all keys without one. Returns the error otherwise. */
  async #check(token: string): Promise<Verified<Claims> | string> {
    const parsed = parseCompact(token)
    if (parsed === undefined) return 'invalid bearer token'
    const keyId = parsed.keyId === '' ? undefined : parsed.keyId
    const keys = await this.#keys(keyId)
    const candidates = keyId === undefined ? keys : keys.filter(({ id }) => id === keyId)
    if (candidates.length === 0) return 'invalid signature, no keys found'
    for (const key of candidates) {
      if (!(await isSignedBy(parsed, key.publicKey, [key.algorithm]))) continue
      const claims = this.#read(parsed.claims)
      return claims === undefined ? 'service account token claims could not be validated' : { claims, keyId, key }
    }
    return 'go-jose/go-jose: error in cryptographic primitive'
  }
}
