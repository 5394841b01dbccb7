import type { Clock } from '../../../lib/clock.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { TransformError, type Transformer } from '../transformer.ts'
import { sourceName } from './encrypted-object.ts'
import type { EncryptedObject } from './messages.ts'

/** Sources of keys that are kept. There is one for each key of the service and each start of a server that wrote with it. */
const MOST_SOURCES = 10_000
/** A source that could not be decrypted is not tried again sooner. */
const RETRY_MS = 3_000

type Entry = { readonly transformer: Transformer } | { readonly fault: string; readonly at: number } | { readonly pending: Promise<void> }

export interface SourceCacheOptions {
  readonly clock: Clock
  /** Has the source decrypted: the key, or the seed. */
  decrypt(object: EncryptedObject): Promise<Buffer>
  /** Throws TransformError where it is no key. */
  transformerOf(object: EncryptedObject, key: Buffer): Transformer
  onMiss(): void
  /** How many are kept now. */
  onSize(size: number): void
}

/** What the service has decrypted, by the encrypted source. Values are read at once: what is not known is asked for beforehand, or in the background. */
export class SourceCache {
  readonly #options: SourceCacheOptions
  /** The one that was used longest ago first. */
  readonly #entries = new Map<string, Entry>()

  constructor(options: SourceCacheOptions) {
    this.#options = options
  }

  set(object: EncryptedObject, transformer: Transformer): void {
    this.#put(sourceName(object), { transformer })
  }

  /** Throws TransformError where the source is not decrypted: it is asked for then, for who comes again. */
  transformerFor(object: EncryptedObject): Transformer {
    const name = sourceName(object)
    const entry = this.#entries.get(name)
    if (entry && 'transformer' in entry) {
      this.#entries.delete(name)
      this.#entries.set(name, entry)
      return entry.transformer
    }
    void this.prepare(object)
    throw new TransformError(entry && 'fault' in entry ? entry.fault : 'failed to decrypt DEK, error: the key management service has not answered yet', true)
  }

  /** Undefined where it is known, or has failed just now. Never rejects. */
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

  async #ask(name: string, object: EncryptedObject): Promise<void> {
    try {
      const key = await this.#options.decrypt(object)
      this.#put(name, { transformer: this.#options.transformerOf(object, key) })
    } catch (error) {
      this.#put(name, { fault: errorMessage(error), at: this.#options.clock.now() })
    }
  }

  #put(name: string, entry: Entry): void {
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MOST_SOURCES && oldest !== undefined) this.#entries.delete(oldest)
    this.#options.onSize(this.#entries.size)
  }
}
