import { setTimeout as sleep } from 'node:timers/promises'
import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { StorageConfig } from '../config/store-config.ts'
import { readConfigFile } from '../lib/bounded-input.ts'
import { LONGEST_TIMER_MS, systemClock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Spans } from '../lib/spans.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import { Encryption } from '../storage/value/encryption.ts'
import type { EncryptionConfig } from '../storage/value/encryption-config.ts'
import { EncryptionConfigError, parseEncryptionFile } from '../storage/value/encryption-file.ts'
import { followEncryptionFile } from '../storage/value/follow-encryption-file.ts'
import type { KmsProviders } from '../storage/value/kms/providers.ts'
import { transformMetrics } from '../storage/value/transform-metrics.ts'
import type { ReadinessCheck, Service } from './service.ts'

/** Interval between checks of the file, in milliseconds: that of kube-apiserver. */
const RELOAD_MS = 60_000
/** Minimum time for the KMS plugins of a changed file to become healthy before it is applied, in milliseconds. */
const LEAST_HEALTH_MS = 10_000
/** Delay between checks of plugins that are not healthy yet. */
const HEALTH_RETRY_MS = 100

/**
 * Encryption at rest, as configured. As in kube-apiserver, the KMS health check exists whenever the file is followed,
 * even without KMS plugins.
 */
export interface EncryptionService extends Service {
  /** Metrics of transformations, and of KMS plugins if there can be any. */
  readonly metrics: readonly MetricFamily[]
  /** Check of the KMS plugins. Empty if there can be none. */
  readonly checks: readonly ReadinessCheck[]
  /** Transformers of the present configuration, which a reload replaces. */
  readonly encryption: Encryption
  /** Removes the series of a resource when its last version is gone. */
  forgetVersion(version: GoneVersion): void
  /** Stops following the file and checking KMS plugins. */
  close(): Promise<void>
}

/** Reads the configured file, and follows it if automatic reload is on. Throws EncryptionConfigError. */
export async function openEncryption(
  { encryption: wanted }: Pick<StorageConfig, 'encryption'>,
  logger: Logger,
  spans?: Spans,
): Promise<EncryptionService> {
  const { families, observer, forget } = transformMetrics()
  const forgetVersion = ({ group, resource, isLast }: GoneVersion): void => {
    if (isLast) forget(qualifiedResource({ group, resource }))
  }
  const encryption = new Encryption(observer)
  if (wanted === undefined) return { encryption, metrics: families, checks: [], forgetVersion, close: async () => {} }
  const { file, automaticReload } = wanted
  const config = parseEncryptionFile(await readConfigFile(file).catch(error => Promise.reject(cannotRead(file, error))), file)
  const usesServices = namesService(config)
  const services = usesServices || automaticReload ? await KeyServices.open(encryption, logger, spans) : KeyServices.none(encryption)
  await services.use(config)
  const stopped = new AbortController()
  const apply = (changed: EncryptionConfig): Promise<void> => services.change(changed, stopped.signal)
  const following = automaticReload
    ? followEncryptionFile({ file, hash: config.hash, intervalMs: RELOAD_MS, logger, apply }, stopped.signal)
    : Promise.resolve()
  return {
    encryption,
    forgetVersion,
    metrics: [...families, ...services.families],
    checks: automaticReload || usesServices ? [{ name: 'kms-providers', check: () => services.check() }] : [],
    async close() {
      stopped.abort()
      await following
      services.close()
    },
  }
}

const namesService = ({ resources }: EncryptionConfig): boolean =>
  resources.some(({ providers }) => providers.some(({ kms }) => kms !== undefined))

/** Opens the KMS plugins that a configuration names. */
type Opener = (config: EncryptionConfig) => Promise<KmsProviders>

/** KMS plugins of the current configuration. */
class KeyServices {
  /** Metrics of KMS plugins. Empty without an opener. */
  readonly families: readonly MetricFamily[]
  readonly #encryption: Encryption
  /** Undefined if no KMS plugin can be configured. */
  readonly #opener: Opener | undefined
  #present: KmsProviders | undefined

  private constructor(encryption: Encryption, families: readonly MetricFamily[], opener: Opener | undefined) {
    this.#encryption = encryption
    this.families = families
    this.#opener = opener
  }

  /** Returns an instance without plugins, for a configuration that names none and is not followed. */
  static none(encryption: Encryption): KeyServices {
    return new KeyServices(encryption, [], undefined)
  }

  /** Loads the KMS client modules on demand. */
  static async open(encryption: Encryption, logger: Logger, spans: Spans | undefined): Promise<KeyServices> {
    const [{ openKmsProviders }, { KmsMetrics }] = await Promise.all([
      import('../storage/value/kms/providers.ts'),
      import('../storage/value/kms/metrics.ts'),
    ])
    const metrics = new KmsMetrics()
    return new KeyServices(encryption, metrics.families, config => openKmsProviders(config, { metrics, clock: systemClock, logger, spans }))
  }

  /** Applies a configuration, whether or not its KMS plugins are healthy. */
  async use(config: EncryptionConfig): Promise<void> {
    this.#put(config, await this.#opener?.(config))
  }

  /**
   * Applies a configuration once its KMS plugins are healthy. Rejects if that takes too long, and keeps the previous
   * configuration.
   */
  async change(config: EncryptionConfig, signal: AbortSignal): Promise<void> {
    const providers = await this.#opener?.(config)
    try {
      if (providers) await untilWell(providers, signal)
      const former = this.#present
      this.#put(config, providers)
      // Calls in progress may still use the previous plugins.
      if (former) setTimeout(() => former.close(), Math.min(2 * former.timeoutMs, LONGEST_TIMER_MS)).unref()
    } catch (error) {
      providers?.close()
      throw error
    }
  }

  /** Makes the configuration the one that transformers use. */
  #put(config: EncryptionConfig, providers: KmsProviders | undefined): void {
    this.#encryption.configure(config, providers?.byName)
    this.#present = providers
  }

  /** Throws if a plugin is not healthy. */
  async check(): Promise<void> {
    await this.#present?.check()
  }

  close(): void {
    this.#present?.close()
  }
}

/**
 * Waits until all KMS plugins are healthy, for ten seconds or twice their timeout, whichever is longer. Rejects with
 * the last error.
 */
async function untilWell(providers: KmsProviders, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + Math.max(LEAST_HEALTH_MS, 2 * providers.timeoutMs)
  for (;;)
    try {
      return await providers.check()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(HEALTH_RETRY_MS, undefined, { signal })
    }
}

const cannotRead = (file: string, error: Error) =>
  new EncryptionConfigError(
    `error while parsing file: error while loading file: error reading encryption provider configuration file ${JSON.stringify(file)}: ${error.message}`,
  )
