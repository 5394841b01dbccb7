import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { Config } from '../config/config.ts'
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

/** As often as kube-apiserver looks. */
const RELOAD_MS = 60_000
/** Services of a changed file have so long to be well, at least, before it is put in force. */
const LEAST_HEALTH_MS = 10_000
const HEALTH_RETRY_MS = 100

/** Encryption at rest as the configuration has it. kube-apiserver has a check for key management services whenever the file is followed, whether there are such services or not. */
export interface EncryptionService extends Service {
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  readonly encryption: Encryption
  forgetVersion(version: GoneVersion): void
  /** Stops looking at the file, and at key management services. */
  close(): Promise<void>
}

/** Reads the file that the configuration names, and follows it where that is asked for. Throws EncryptionConfigError. */
export async function openEncryption({ encryption: wanted }: Config, logger: Logger, spans?: Spans): Promise<EncryptionService> {
  const { families, observer, forget } = transformMetrics()
  const forgetVersion = ({ group, resource, isLast }: GoneVersion): void => {
    if (isLast) forget(qualifiedResource({ group, resource }))
  }
  const encryption = new Encryption(observer)
  if (wanted === undefined) return { encryption, metrics: families, checks: [], forgetVersion, close: async () => {} }
  const { file, automaticReload } = wanted
  const config = parseEncryptionFile(await readFile(file).catch(error => Promise.reject(cannotRead(file, error))), file)
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

const namesService = ({ resources }: EncryptionConfig): boolean => resources.some(({ providers }) => providers.some(({ kms }) => kms !== undefined))

type Opener = (config: EncryptionConfig) => Promise<KmsProviders>

/** The key management services of the configuration that is in force. */
class KeyServices {
  readonly families: readonly MetricFamily[]
  readonly #encryption: Encryption
  /** Absent where there can be none. */
  readonly #opener: Opener | undefined
  #present: KmsProviders | undefined

  private constructor(encryption: Encryption, families: readonly MetricFamily[], opener: Opener | undefined) {
    this.#encryption = encryption
    this.families = families
    this.#opener = opener
  }

  static none(encryption: Encryption): KeyServices {
    return new KeyServices(encryption, [], undefined)
  }

  /** What speaks to services is loaded by this. */
  static async open(encryption: Encryption, logger: Logger, spans: Spans | undefined): Promise<KeyServices> {
    const [{ openKmsProviders }, { KmsMetrics }] = await Promise.all([import('../storage/value/kms/providers.ts'), import('../storage/value/kms/metrics.ts')])
    const metrics = new KmsMetrics()
    return new KeyServices(encryption, metrics.families, config => openKmsProviders(config, { metrics, clock: systemClock, logger, spans }))
  }

  /** Puts a configuration in force, whether its services are well or not. */
  async use(config: EncryptionConfig): Promise<void> {
    this.#put(config, await this.#opener?.(config))
  }

  /** Puts a configuration in force once its services are well. Rejects where they are not in time; then all is as before. */
  async change(config: EncryptionConfig, signal: AbortSignal): Promise<void> {
    const providers = await this.#opener?.(config)
    try {
      if (providers) await untilWell(providers, signal)
      const former = this.#present
      this.#put(config, providers)
      // What is under way may still ask them.
      if (former) setTimeout(() => former.close(), Math.min(2 * former.timeoutMs, LONGEST_TIMER_MS)).unref()
    } catch (error) {
      providers?.close()
      throw error
    }
  }

  #put(config: EncryptionConfig, providers: KmsProviders | undefined): void {
    this.#encryption.configure(config, providers?.byName)
    this.#present = providers
  }

  async check(): Promise<void> {
    await this.#present?.check()
  }

  close(): void {
    this.#present?.close()
  }
}

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
