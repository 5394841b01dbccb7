import { errorMessage } from '../../../lib/error-message.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import type { CompactToken } from '../compact-token.ts'
import { isSignedBy } from '../token-signature.ts'
import { cacheExpiry } from './cache-expiry.ts'
import { excerptOf, type Fetched, type IssuerClient, readResponseJson } from './issuer-client.ts'
import { type IssuerKey, readKeySet } from './json-web-keys.ts'
import { SIGNING_ALGORITHMS } from './signing-algorithms.ts'

/** Verifies signatures. */
export interface KeySet {
  /** Resolves if one of the keys signed the token. Rejects with go-oidc's message. */
  check(token: CompactToken): Promise<void>
}

/** Keys that expire within this time, in milliseconds, are fetched again if they do not verify a token. */
const EXPIRY_DELTA_MS = 30_000

/** Called after each fetch with the response body. Undefined if the fetch failed or the keys are invalid. */
export type KeysObserver = (body: Buffer | undefined) => void

/**
 * Keys at a URL. Fetched when a token is signed by an unknown key, with at most one request at a time, and not before
 * the cached response expires. Cached keys stay valid while the issuer is unreachable.
 */
export class RemoteKeySet implements KeySet {
  readonly #url: string
  readonly #client: IssuerClient
  readonly #now: () => number
  readonly #observe: KeysObserver
  #keys: readonly IssuerKey[] = []
  #expiry = 0
  #inFlight: Promise<readonly IssuerKey[]> | undefined

  /** @param now milliseconds since the epoch. */
  constructor(url: string, client: IssuerClient, now: () => number, observe: KeysObserver = () => {}) {
    this.#url = url
    this.#client = client
    this.#now = now
    this.#observe = observe
  }

  /**
   * Throws an Error with go-oidc's message. Keys are fetched again for an unknown one, by one call for all tokens that
   * wait, unless the present ones may still be cached.
   */
  async check(token: CompactToken): Promise<void> {
    if (await hasSigned(this.#keys, token)) return
    if (this.#now() + EXPIRY_DELTA_MS <= this.#expiry) throw notVerified()
    let keys: readonly IssuerKey[]
    try {
      this.#inFlight ??= this.#fetch().finally(() => {
        this.#inFlight = undefined
      })
      keys = await this.#inFlight
    } catch (error) {
      throw new Error(`fetching keys ${errorMessage(error)}`)
    }
    if (!(await hasSigned(keys, token))) throw notVerified()
  }

  /** Fetches the keys, and the time until which they may be cached. Throws an Error with go-oidc's message. */
  async #fetch(): Promise<readonly IssuerKey[]> {
    try {
      const answer = await this.#client.get(this.#url).catch((error: unknown) => {
        throw new Error(`oidc: get keys failed ${errorMessage(error)}`)
      })
      if (answer.code !== 200) throw new Error(`oidc: get keys failed: ${answer.status} ${excerptOf(answer.body)}`)
      this.#keys = await readKeys(answer)
      const now = this.#now()
      this.#expiry = Math.max(now, cacheExpiry(answer.headers, now))
      this.#observe(answer.body)
      return this.#keys
    } catch (error) {
      this.#observe(undefined)
      throw error
    }
  }
}

/** Parses the key set of a response. Throws an Error with go-oidc's message. */
async function readKeys(answer: Fetched): Promise<readonly IssuerKey[]> {
  try {
    return await runInTurns(readKeySet(await readResponseJson(answer)))
  } catch (error) {
    throw new Error(`oidc: failed to decode keys: ${errorMessage(error)} ${excerptOf(answer.body)}`)
  }
}

const notVerified = (): Error => new Error('failed to verify id token signature')

/**
 * Whether one of the keys signed the token. A token without key ID is verified with every key, so this yields in
 * between.
 */
async function hasSigned(keys: readonly IssuerKey[], token: CompactToken): Promise<boolean> {
  for (const { id, key } of keys) {
    if (key === undefined || (token.keyId !== '' && id !== token.keyId)) continue
    if (turnIsSpent()) await nextTurn()
    if (await isSignedBy(token, key, SIGNING_ALGORITHMS)) return true
  }
  return false
}
