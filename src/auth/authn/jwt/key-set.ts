import { errorMessage } from '../../../lib/error-message.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import { cacheExpiry } from './cache-expiry.ts'
import type { CompactToken } from './compact-token.ts'
import { excerptOf, type Fetched, type IssuerClient, jsonOf } from './issuer-client.ts'
import { type IssuerKey, isSignedBy, readKeySet } from './signature.ts'

/** Who checks signatures. */
export interface KeySet {
  /** Resolves if one of the keys has signed the token; rejects with an Error in go-oidc's words. */
  check(token: CompactToken): Promise<void>
}

/** Keys that end so soon are asked for again, where a token is by none of them. */
const EXPIRY_DELTA_MS = 30_000

/** Called after each fetch of keys, with the response; undefined if that was not usable. */
export type KeysObserver = (body: Buffer | undefined) => void

/**
 * The keys at a URL. They are asked for when a token is by a key that is not known, at most once at a time, and where the answer said how long they are good, not before that time is over. Known keys are good
 * while the issuer is out of reach.
 */
export class RemoteKeySet implements KeySet {
  readonly #url: string
  readonly #client: IssuerClient
  readonly #now: () => number
  readonly #observe: KeysObserver
  #keys: readonly IssuerKey[] = []
  #expiry = 0
  #inFlight: Promise<readonly IssuerKey[]> | undefined

  /** `now`: milliseconds since the epoch. */
  constructor(url: string, client: IssuerClient, now: () => number, observe: KeysObserver = () => {}) {
    this.#url = url
    this.#client = client
    this.#now = now
    this.#observe = observe
  }

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

async function readKeys(answer: Fetched): Promise<readonly IssuerKey[]> {
  try {
    return await runInTurns(readKeySet(await jsonOf(answer)))
  } catch (error) {
    throw new Error(`oidc: failed to decode keys: ${errorMessage(error)} ${excerptOf(answer.body)}`)
  }
}

const notVerified = (): Error => new Error('failed to verify id token signature')

/** Whether one of the keys has signed the token. Each check takes up to some milliseconds, and a token that names no key is checked with all of them. */
async function hasSigned(keys: readonly IssuerKey[], token: CompactToken): Promise<boolean> {
  for (const key of keys) {
    if (token.keyId !== '' && key.id !== token.keyId) continue
    if (turnIsSpent()) await nextTurn()
    if (isSignedBy(token, key)) return true
  }
  return false
}
