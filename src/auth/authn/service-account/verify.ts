import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose'
import type { Json } from '../../../meta/object.ts'
import type { VerificationKey } from './keys.ts'

/** Tokens whose signature was found good; the oldest is forgotten first. */
const MOST_VERIFIED = 2_000

/** No token of this server is as long. Anybody can send one, and its claims are read before its signature is checked. */
const MAX_TOKEN_LENGTH = 64 * 1024

/** Claim `iss`, unchecked; empty for what is no JWT. */
export function issuerOf(token: string): string {
  if (token.length > MAX_TOKEN_LENGTH || token.split('.', 4).length !== 3) return ''
  try {
    const { iss } = decodeJwt(token)
    return typeof iss === 'string' ? iss : ''
  } catch {
    return ''
  }
}

/** Keys by which tokens are believed; more than those of the id, which is that of a token, do no harm. */
export type KeysOf = (id?: string) => Promise<readonly VerificationKey[]>

/** A token whose signature was found good. */
interface Verified<Claims> {
  readonly claims: Claims
  /** As its header names the key. */
  readonly keyId: string | undefined
  /** By which it is signed. */
  readonly key: VerificationKey
}

/** Claims of tokens that one of the keys of now has signed. Checking a signature takes time, so it is done once for each key. */
export class Verifier<Claims> {
  private readonly keys: KeysOf
  private readonly read: (payload: Json) => Claims | undefined
  private readonly verified = new Map<string, Verified<Claims>>()

  /** `read`: the claims of a payload; undefined for one that has not what it needs. */
  constructor(keys: KeysOf, read: (payload: Json) => Claims | undefined) {
    this.keys = keys
    this.read = read
  }

  has(token: string): boolean {
    return this.verified.has(token)
  }

  forget(token: string): void {
    this.verified.delete(token)
  }

  /** Or what is wrong with it. */
  async claims(token: string): Promise<Claims | { readonly error: string }> {
    const known = this.verified.get(token)
    // Keys that are fetched come as other objects each time: then the signature is checked again.
    if (known !== undefined && (await this.keys(known.keyId)).includes(known.key)) return known.claims
    this.verified.delete(token)
    const found = await this.check(token)
    if (typeof found === 'string') return { error: found }
    const [oldest] = this.verified.size >= MOST_VERIFIED ? this.verified.keys() : []
    if (oldest !== undefined) this.verified.delete(oldest)
    this.verified.set(token, found)
    return found.claims
  }

  private async check(token: string): Promise<Verified<Claims> | string> {
    let keyId: string | undefined
    try {
      keyId = decodeProtectedHeader(token).kid
    } catch {
      return 'invalid bearer token'
    }
    const keys = await this.keys(keyId)
    const candidates = keyId === undefined ? keys : keys.filter(({ id }) => id === keyId)
    if (candidates.length === 0) return 'invalid signature, no keys found'
    for (const key of candidates) {
      try {
        const { payload } = await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] })
        const claims = this.read(JSON.parse(new TextDecoder().decode(payload)))
        return claims === undefined ? 'service account token claims could not be validated' : { claims, keyId, key }
      } catch {
        // The next key.
      }
    }
    return 'go-jose/go-jose: error in cryptographic primitive'
  }
}
