import { createPublicKey } from 'node:crypto'
import { type Clock, LONGEST_TIMER_MS } from '../../../../lib/clock.ts'
import { errorMessage } from '../../../../lib/error-message.ts'
import { quote } from '../../../../lib/go-quote.ts'
import type { Logger } from '../../../../lib/log.ts'
import { pause } from '../../../../lib/pause.ts'
import { nextTurn, turnIsSpent } from '../../../../lib/turn.ts'
import { type VerificationKey, verificationKey } from '../keys.ts'
import type { FetchedKeys } from './messages.ts'
import type { SignerMetrics } from './metrics.ts'

/** Options of SignerKeys. */
export interface SignerKeysOptions {
  /** Calls FetchKeys. */
  fetch(): Promise<FetchedKeys>
  /** Returns the status of a failure, as label of metrics. */
  codeOf(error: unknown): string
  readonly metrics: SignerMetrics
  readonly clock: Clock
  readonly log: Logger
}

/** Maximum length of a key ID in token headers. */
export const MOST_KEY_ID = 1024
/** Delay after a failure, in milliseconds. */
const FALLBACK_MS = 10_000
/** Range of a protobuf Timestamp: years 1 to 9999. */
const LEAST_SECONDS = -62_135_596_800
const MOST_SECONDS = 253_402_300_799

/**
 * Cached keys of an external signer. Refreshed when the signer's hint expires, and when a token names an unknown key.
 */
export class SignerKeys {
  readonly #options: SignerKeysOptions
  #keys: readonly VerificationKey[] = []
  #refreshAt = 0
  #asking: Promise<void> | undefined

  constructor(options: SignerKeysOptions) {
    this.#options = options
  }

  /** Returns the keys of an ID, or all without one. Fetches if none is cached. */
  async find(id: string | undefined): Promise<readonly VerificationKey[]> {
    const known = this.#known(id)
    if (known.length > 0) return known
    try {
      await this.sync()
    } catch (error) {
      this.#options.log.error('Error while syncing keys', { error: errorMessage(error) })
      return []
    }
    return this.#known(id)
  }

  /** Returns how long clients may cache the keys, in seconds. */
  maxAgeSeconds(): number {
    return Math.max(0, Math.floor((this.#refreshAt - this.#options.clock.now()) / 1000))
  }

  /**
   * Fetches the keys. Concurrent callers share one call. Throws an Error with upstream's message; the cached keys
   * remain.
   */
  sync(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** Refreshes the keys as the signer's hints request, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    let rest = this.#restMs()
    while (await pause(rest, signal)) rest = await this.#syncAgain()
  }

  /**
   * Refreshes the keys and returns the delay until the next refresh, in milliseconds. Cached keys remain if the signer
   * fails.
   */
  async #syncAgain(): Promise<number> {
    try {
      await this.sync()
      return this.#restMs()
    } catch (error) {
      this.#options.log.error('when syncing supported public keys(Stale set of keys will be supported)', { error: errorMessage(error) })
      return FALLBACK_MS
    }
  }

  #restMs(): number {
    return Math.min(Math.max(0, this.#refreshAt - this.#options.clock.now()), LONGEST_TIMER_MS)
  }

  #known(id: string | undefined): readonly VerificationKey[] {
    return id === undefined || id === '' ? this.#keys : this.#keys.filter(key => key.id === id)
  }

  /** Fetches the keys and replaces the cached ones. */
  async #ask(): Promise<void> {
    const { metrics, clock, codeOf } = this.#options
    try {
      const { keys, seconds, refreshHint } = await this.#fetched()
      this.#keys = keys
      this.#refreshAt = clock.now() + refreshHint * 1000
      metrics.fetched(clock.now() / 1000, seconds)
    } catch (error) {
      metrics.fetchFailed(codeOf(error))
      throw new Error(`while fetching token verification keys: ${errorMessage(error)}`, { cause: error })
    }
  }

  /** Calls FetchKeys and validates the response. */
  async #fetched(): Promise<{ readonly keys: readonly VerificationKey[]; readonly seconds: number; readonly refreshHint: number }> {
    const { keys, dataTimestamp, refreshHint } = await this.#options.fetch().catch((error: unknown) => {
      throw new Error(`while getting externally supported jwt signing keys: ${errorMessage(error)}`, { cause: error })
    })
    if (refreshHint <= 0) throw new Error(`found invalid refresh hint (${refreshHint}s)`)
    if (keys.length === 0) throw new Error('found no keys')
    return { keys: await parseSignerKeys(keys), seconds: secondsOf(dataTimestamp), refreshHint }
  }
}

/** Validates a protobuf Timestamp and returns seconds. Throws an Error with protobuf-go's message. */
function secondsOf(timestamp: FetchedKeys['dataTimestamp']): number {
  const invalid = (why: string): Error => new Error(`invalid data timestamp: proto: ${why}`)
  if (timestamp === undefined) throw invalid('invalid nil Timestamp')
  const { seconds, nanos } = timestamp
  const shown = `timestamp (seconds:${seconds} nanos:${nanos})`
  if (seconds < LEAST_SECONDS) throw invalid(`${shown} before 0001-01-01`)
  if (seconds > MOST_SECONDS) throw invalid(`${shown} after 9999-12-31`)
  if (nanos < 0 || nanos >= 1e9) throw invalid(`${shown} has out-of-range nanos`)
  return seconds + nanos / 1e9
}

/** Parses the keys. Yields in between: there may be a thousand, at about 50 µs each. */
async function parseSignerKeys(fetched: FetchedKeys['keys']): Promise<readonly VerificationKey[]> {
  const keys: VerificationKey[] = []
  for (const key of fetched) {
    if (turnIsSpent()) await nextTurn()
    keys.push(parseSignerKey(key))
  }
  return keys
}

/** Parses a key of the response. */
function parseSignerKey({ id, der, excludedFromDiscovery }: FetchedKeys['keys'][number]): VerificationKey {
  if (id === '' || Buffer.byteLength(id) > MOST_KEY_ID) throw new Error(`found invalid public key id ${quote(id)}`)
  if (der.length === 0) throw new Error('found empty public key')
  try {
    return { ...verificationKey(createPublicKey({ key: der, format: 'der', type: 'spki' })), id, excludedFromDiscovery }
  } catch (error) {
    throw new Error(`while parsing external public keys: ${errorMessage(error)}`)
  }
}
