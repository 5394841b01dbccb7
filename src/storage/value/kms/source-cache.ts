import type { Clock } from '../../../lib/clock.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { TransformError, type Transformer } from '../transformer.ts'
import { sourceName } from './encrypted-object.ts'
import type { EncryptedObject } from './messages.ts'

/**
 * Limit on cached sources. There is one for each key of the service and each start of a server that has written with
 * it.
 */
const MOST_SOURCES = 10_000
/** Time after a failed decryption until the next attempt. */
const RETRY_MS = 3_000

type SourceEntry =
  | { readonly transformer: Transformer }
  | { readonly fault: string; readonly at: number }
  | { readonly pending: Promise<void> }

/** Dependencies of the cache. */
export interface SourceCacheOptions {
  readonly clock: Clock
  /** Decrypts the source with the service. Resolves with the key or seed. */
  decrypt(object: EncryptedObject): Promise<Buffer>
  /** Creates the transformer of a decrypted source. Throws TransformError if it is not a key. */
  transformerOf(object: EncryptedObject, key: Buffer): Transformer
  onMiss(): void
  /** Called with the number of cached sources after each change. */
  onSize(size: number): void
}

/**
 * Transformers by encrypted source. Values are read synchronously, so unknown sources are decrypted beforehand, or in
 * the background.
 */
export class SourceCache {
  readonly #options: SourceCacheOptions
  /** Least recently used first. */
  readonly #entries = new Map<string, SourceEntry>()

  constructor(options: SourceCacheOptions) {
    this.#options = options
  }

  set(object: EncryptedObject, transformer: Transformer): void {
    this.#put(sourceName(object), { transformer })
  }

  /**
   * Returns the transformer of a source. If it is unknown, starts its decryption and throws TransformError; a later
   * call can succeed.
   */
  transformerFor(object: EncryptedObject): Transformer {
    const name = sourceName(object)
    const entry = this.#entries.get(name)
    if (entry && 'transformer' in entry) {
      this.#entries.delete(name)
      this.#entries.set(name, entry)
      return entry.transformer
    }
    void this.prepare(object)
    throw new TransformError(
      entry && 'fault' in entry ? entry.fault : 'failed to decrypt DEK, error: the key management service has not responded yet',
      true,
    )
  }

  /** Decrypts a source. Undefined if it is known, or if an attempt has just failed. Never rejects. */
  prepare(object: EncryptedObject): Promise<void> | undefined {
    const name = sourceName(object)
    const entry = this.#entries.get(name)
    if (entry && 'transformer' in entry) return undefined
    if (entry && 'pending' in entry) return entry.pending
    if (entry && this.#options.clock.now() - entry.at < RETRY_MS) return undefined
    this.#options.onMiss()
    const pending = this.#ask(name, object)
    this.#put(name, { pending })
    return pending
  }

  /** Records the result or the fault. Never rejects, so that several callers can wait for one attempt. */
  async #ask(name: string, object: EncryptedObject): Promise<void> {
    try {
      const key = await this.#options.decrypt(object)
      this.#put(name, { transformer: this.#options.transformerOf(object, key) })
    } catch (error) {
      this.#put(name, { fault: errorMessage(error), at: this.#options.clock.now() })
    }
  }

  #put(name: string, entry: SourceEntry): void {
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MOST_SOURCES && oldest !== undefined) this.#entries.delete(oldest)
    this.#options.onSize(this.#entries.size)
  }
}
