import { type Clock, steadyClock } from '../lib/clock.ts'
import type { StoredObject } from '../storage/storage.ts'
import { ConversionError } from './errors.ts'

/** Delay between a failed fill and the next attempt, in milliseconds: the initial backoff of upstream's reflector. */
const RETRY_MS = 800

/**
 * Initial fill of the watch cache of a version that is produced by a conversion webhook. Upstream converts every object
 * before it serves a list or a watch from the cache. If that fails, requests fail with the same error until the next
 * attempt, without another call of the webhook.
 */
export class CacheFill {
  readonly #convert: (stored: readonly StoredObject[]) => Promise<unknown>
  readonly #clock: Clock
  #failure: { readonly namespace: string; readonly error: ConversionError; readonly until: number } | undefined
  #isWhole = false

  constructor(convert: (stored: readonly StoredObject[]) => Promise<unknown>, clock: Clock = steadyClock) {
    this.#convert = convert
    this.#clock = clock
  }

  /**
   * Runs a conversion of the cached objects of a namespace; an empty namespace means all. Throws the error of the last
   * attempt for this namespace until the next one is due.
   */
  async attempt<T>(namespace: string, run: () => Promise<T>): Promise<T> {
    const failure = this.#failure
    if (failure?.namespace === namespace && this.#clock.now() < failure.until) throw failure.error
    try {
      return await run()
    } catch (error) {
      if (error instanceof ConversionError) this.#failure = { namespace, error, until: this.#clock.now() + RETRY_MS }
      throw error
    }
  }

  /**
   * Converts all objects; does nothing after the first success. `cached` returns undefined if the cache is not
   * populated yet.
   */
  async all(cached: () => readonly StoredObject[] | undefined): Promise<void> {
    if (this.#isWhole) return
    await this.attempt('', async () => {
      const objects = cached()
      if (objects === undefined) return
      await this.#convert(objects)
      this.#isWhole = true
    })
  }
}
