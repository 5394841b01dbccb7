import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../../lib/clock.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Logger } from '../../../lib/log.ts'
import { pause } from '../../../lib/pause.ts'
import { sha256Label } from '../../../lib/sha256-label.ts'
import { inSpanAtOnce, type Spans } from '../../../lib/spans.ts'
import { aesGcm } from '../aes-gcm.ts'
import { type Opened, TransformError, type Transformer } from '../transformer.ts'
import { derivedKeys, SEED_BYTES } from './derived-keys.ts'
import { encryptedObjectFault, keyIdFault } from './encrypted-object.ts'
import { decodeObject, type EncryptedObject, encodeObject, SourceType, type StatusResponse } from './messages.ts'
import type { KmsMetrics } from './metrics.ts'
import type { KeyService } from './service.ts'
import { SourceCache } from './source-cache.ts'

/**
 * Intervals of kube-apiserver: between checks of a healthy and of an unhealthy service, and how long a key may be used
 * for writes after the last successful check.
 */
const WELL_MS = 60_000
/** An unhealthy service is checked more often, so that writes resume soon. */
const ILL_MS = 10_000
/** A key expires for writes if the service has not confirmed it for this long. Reads do not depend on it. */
const MAX_USE_MS = 180_000
/** How long the result of a check is reused. */
const WELL_TTL_MS = 20_000
/** A fault is reused for a shorter time than a success. */
const ILL_TTL_MS = 3_000
/** Versions that a status may have. It must not change afterwards. */
const VERSIONS = ['v2', 'v2beta1']

/** Key that new values are encrypted with. */
interface WriteKey {
  /** Encrypts values with keys that are derived from the seed. */
  readonly transformer: Transformer
  /** Template of the stored value, without its data. */
  readonly object: EncryptedObject
  /** Hash of the key's ID, for metrics and messages: the ID itself may be confidential. */
  readonly keyIdHash: string
  /** Time on the clock after which no value may be written with the key. */
  readonly expires: number
}

/** Dependencies of a provider. `name` is part of the prefix of stored values. */
export interface ProviderOptions {
  /** Name of the provider in the configuration. */
  readonly name: string
  /** Client of the plugin. It is closed with the provider. */
  readonly service: KeyService
  readonly metrics: KmsMetrics
  /** Clock by which keys and results of checks expire. */
  readonly clock: Clock
  readonly logger: Logger
  /** Optional. Records encryption. */
  readonly spans?: Spans | undefined
}

/** Key of the store, to which the encryption is bound. */
type StorageKey = Parameters<Transformer['toStorage']>[1]

const WITHOUT_DATA = Buffer.alloc(0)
/** Placeholder, to validate an object without data. */
const SOME_DATA = Buffer.of(0)

/**
 * Encryption by a key management service (KMS v2). Each value is encrypted with a key derived from a seed, and is
 * stored with the seed as encrypted by the service. A new seed is generated when the service has a new key. Source:
 * k8s.io/apiserver, pkg/storage/value/encrypt/envelope/kmsv2 and pkg/server/options/encryptionconfig.
 */
export class KmsProvider implements Transformer {
  /** Name of the provider in the configuration. */
  readonly name: string
  readonly #options: ProviderOptions
  readonly #sources: SourceCache
  #write: WriteKey | undefined
  #version: string | undefined
  #last: { readonly at: number; readonly fault: string | undefined } | undefined
  #checking: Promise<string | undefined> | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
    this.name = options.name
    const { name, service, metrics, clock } = options
    this.#sources = new SourceCache({
      clock,
      decrypt: object =>
        service
          .decrypt({ ciphertext: object.source, uid: randomUUID(), keyId: object.keyId, annotations: object.annotations })
          .catch(error => {
            throw new TransformError(`failed to decrypt DEK, error: ${errorMessage(error)}`)
          }),
      transformerOf: (object, key) => (object.sourceType === SourceType.seed ? derivedKeys(key) : aesKey(key)),
      onMiss: () => metrics.missed(),
      onSize: size => metrics.cached(name, size),
    })
  }

  toStorage(value: Buffer, key: StorageKey): Buffer {
    return this.#recorded('TransformToStorage', () => this.#encrypt(value, key))
  }

  fromStorage(stored: Buffer, key: StorageKey): Opened {
    return this.#recorded('TransformFromStorage', () => this.#decrypt(stored, key))
  }

  /** Runs the work in a span if encryption is recorded. */
  #recorded<T>(what: string, work: () => T): T {
    return inSpanAtOnce(this.#options.spans, `${what} with envelopeTransformer`, () => ({ 'transformer.provider.name': this.name }), work)
  }

  /**
   * Encrypts with a key that is derived from the present seed. Throws TransformError, which may pass, if the service
   * has not confirmed the seed for too long.
   */
  #encrypt(value: Buffer, key: StorageKey): Buffer {
    const { name, metrics, clock } = this.#options
    const write = this.#present()
    const now = clock.now()
    if (now > write.expires)
      throw new TransformError(
        `encryptedDEKSource with keyID hash ${JSON.stringify(write.keyIdHash)} expired at ${secondsTime(write.expires)} (current time is ${secondsTime(now)})`,
        true,
      )
    const data = write.transformer.toStorage(value, key)
    metrics.used('to_storage', name, write.keyIdHash, now)
    return encodeObject({ ...write.object, data })
  }

  /** The value is stale if another key or another kind of source than the present one encrypted it. */
  #decrypt(stored: Buffer, key: StorageKey): Opened {
    const { name, metrics, clock } = this.#options
    const object = readObject(stored)
    const { object: present } = this.#present()
    const { value, stale } = this.#sources.transformerFor(object).fromStorage(object.data, key)
    metrics.used('from_storage', name, sha256Label(object.keyId), clock.now())
    return { value, stale: stale || object.keyId !== present.keyId || object.sourceType !== present.sourceType }
  }

  /**
   * Makes the service decrypt the key of a stored value. Undefined if it is known. Never rejects: `fromStorage` throws
   * failures.
   */
  prepare(stored: Buffer): Promise<void> | undefined {
    try {
      return this.#sources.prepare(readObject(stored))
    } catch {
      return undefined
    }
  }

  /** Throws, in kube-apiserver's words, if the service is unhealthy. A recent result is reused. */
  async check(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = undefined
    })
    const fault = await this.#checking
    if (fault !== undefined) throw new Error(fault)
  }

  /** Checks the service periodically until the signal aborts, so that there is a valid key for writes. */
  async follow(signal: AbortSignal): Promise<void> {
    while (await pause(this.#last?.fault === undefined ? WELL_MS : ILL_MS, signal))
      await this.check().catch(error =>
        this.#options.logger.warn('kms plugin failed health check probe', { name: this.name, error: errorMessage(error) }),
      )
  }

  /**
   * Returns the fault of the service, if any. A result is kept for some time, a fault for less, so that health checks
   * of clients do not load the service.
   */
  async #look(): Promise<string | undefined> {
    const { clock, service } = this.#options
    const last = this.#last
    if (last && clock.now() - last.at < (last.fault === undefined ? WELL_TTL_MS : ILL_TTL_MS)) return last.fault
    let fault: string | undefined
    try {
      const faults = await this.#faultsOf(await service.status())
      if (faults.length > 0)
        fault = `kmsv2 Provider ${this.name} is not healthy, error: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`
    } catch (error) {
      fault = `failed to perform status section of the healthz check for KMS Provider ${this.name}, error: ${errorMessage(error)}`
    }
    this.#last = { at: clock.now(), fault }
    return fault
  }

  /**
   * Returns the faults of a status response, in the words and the order of kube-apiserver. A response with a new key
   * starts a rotation, whose failure is a fault as well.
   */
  async #faultsOf({ version, healthz, keyId }: StatusResponse): Promise<string[]> {
    const { name, metrics, clock } = this.#options
    const faults: string[] = []
    if (healthz !== 'ok') faults.push(`got unexpected healthz status: ${healthz}`)
    if (!VERSIONS.includes(version)) faults.push(`expected KMSv2 API version v2, got ${version}`)
    else {
      this.#version ??= version
      if (this.#version !== version)
        faults.push(`KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`)
    }
    const invalid = keyIdFault(keyId)
    if (invalid) {
      metrics.invalidStatus(name, invalid)
      return [...faults, `got invalid KMSv2 KeyID hash ${JSON.stringify(sha256Label(keyId))}: ${invalid.text}`]
    }
    metrics.status(name, keyId, clock.now())
    const rotation = await this.#rotate(keyId)
    return rotation === undefined ? faults : [...faults, rotation]
  }

  /**
   * Generates a seed if the service has a new key; otherwise extends the validity of the present one. Resolves with the
   * fault, if any.
   */
  async #rotate(keyId: string): Promise<string | undefined> {
    const { clock } = this.#options
    const expires = clock.now() + MAX_USE_MS
    const present = this.#write
    if (present?.object.keyId === keyId) {
      this.#write = { ...present, expires }
      return undefined
    }
    const uid = randomUUID()
    const made = await this.#generate(uid).catch(error => ({ fault: errorMessage(error) }))
    if ('object' in made && made.object.keyId === keyId) {
      this.#write = { ...made, keyIdHash: sha256Label(keyId), expires }
      this.#sources.set(made.object, made.transformer)
      return undefined
    }
    const hash = (id = ''): string => JSON.stringify(sha256Label(id))
    const encrypted = 'object' in made ? made.object.keyId : undefined
    const stateFault = present ? '<nil>' : 'got unexpected nil transformer'
    const until = present ? secondsTime(present.expires) : '0001-01-01T00:00:00Z'
    return `failed to rotate DEK uid=${JSON.stringify(uid)}, useSeed=true, errState=${stateFault}, errGen=${'fault' in made ? made.fault : '<nil>'}, statusKeyIDHash=${hash(keyId)}, encryptKeyIDHash=${hash(encrypted)}, stateKeyIDHash=${hash(present?.object.keyId)}, expirationTimestamp=${until}`
  }

  /**
   * Generates a seed and has the service encrypt it. The encrypted seed is stored beside every value. Rejects if the
   * response is invalid by the rules for stored objects.
   */
  async #generate(uid: string): Promise<Pick<WriteKey, 'transformer' | 'object'>> {
    const { service, metrics } = this.#options
    const begun = performance.now()
    const seed = randomBytes(SEED_BYTES)
    metrics.generated((performance.now() - begun) / 1000)
    const { ciphertext, keyId, annotations } = await service.encrypt(seed, uid).catch(error => {
      throw new Error(`failed to encrypt DEK, error: ${errorMessage(error)}`)
    })
    const object = { data: WITHOUT_DATA, keyId, source: ciphertext, annotations, sourceType: SourceType.seed }
    const fault = encryptedObjectFault({ ...object, data: SOME_DATA })
    if (fault !== undefined) throw new Error(fault)
    return { transformer: derivedKeys(seed), object }
  }

  /** Throws a TransformError, which may pass, until the first successful check. */
  #present(): WriteKey {
    if (this.#write === undefined) throw new TransformError('got unexpected nil transformer', true)
    return this.#write
  }

  close(): void {
    this.#options.service.close()
  }
}

/** Decodes and validates a stored value. Throws TransformError. */
function readObject(stored: Buffer): EncryptedObject {
  let object: EncryptedObject
  try {
    object = decodeObject(stored)
  } catch (error) {
    throw new TransformError(errorMessage(error))
  }
  const fault = encryptedObjectFault(object)
  if (fault !== undefined) throw new TransformError(fault)
  return object
}

/** Transformer for a data key that earlier releases stored, which is used without derivation. */
function aesKey(key: Buffer): Transformer {
  if (![16, 24, 32].includes(key.length)) throw new TransformError(`crypto/aes: invalid key size ${key.length}`)
  return aesGcm(key)
}

/** RFC 3339, to the second. */
const secondsTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
