import { type Clock, LONGEST_TIMER_MS } from '../../../lib/clock.ts'
import { parseMilliseconds } from '../../../lib/duration.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Spans } from '../../../lib/spans.ts'
import type { EncryptionConfig, KmsConfig } from '../encryption-config.ts'
import type { GrpcServiceOptions } from './grpc-service.ts'
import type { KmsMetrics } from './metrics.ts'
import { KmsProvider } from './provider.ts'
import type { KeyService } from './service.ts'

/** Timeout of upstream for a service without one. */
const DEFAULT_TIMEOUT = '3s'

/** Dependencies that all providers share. */
export interface KmsEnvironment {
  readonly metrics: KmsMetrics
  readonly clock: Clock
  readonly logger: Logger
  /** Optional. Records encryption. */
  readonly spans?: Spans | undefined
  /** Optional. Opens a service; replaced in tests. */
  readonly open?: (options: GrpcServiceOptions) => KeyService
}

/** Key management services of one configuration. They are checked periodically until they are closed. */
export interface KmsProviders {
  /** Providers by the name in the configuration. */
  readonly byName: ReadonlyMap<string, KmsProvider>
  /** Total of the timeouts of their calls, in milliseconds. */
  readonly timeoutMs: number
  /** Throws, like kube-apiserver's check `kms-providers`, if a service is unhealthy. */
  check(): Promise<void>
  /** Stops the periodic checks and closes the connections. */
  close(): void
}

/** Providers of a configuration without key management services. */
export const NO_PROVIDERS: KmsProviders = { byName: new Map(), timeoutMs: 0, check: async () => {}, close: () => {} }

/**
 * Opens the services that the configuration names, and checks each once. An unavailable one is retried in the
 * background.
 */
export async function openKmsProviders({ resources }: EncryptionConfig, environment: KmsEnvironment): Promise<KmsProviders> {
  const configs = resources.flatMap(({ providers }) => providers.flatMap(({ kms }) => (kms ? [kms] : [])))
  if (configs.length === 0) return NO_PROVIDERS
  const stopped = new AbortController()
  const providers = await Promise.all(configs.map(config => openProvider(config, environment)))
  const check = async (): Promise<void> => {
    const faults: string[] = []
    for (const [i, provider] of providers.entries())
      await provider.check().catch((error: unknown) => void faults.push(`kms-provider-${i}: ${errorMessage(error)}`))
    if (faults.length > 0) throw new Error(faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`)
  }
  await check().catch(error => environment.logger.warn('kms plugin failed health check probe', { error: errorMessage(error) }))
  for (const provider of providers) void provider.follow(stopped.signal)
  return {
    byName: new Map(providers.map(provider => [provider.name, provider])),
    timeoutMs: configs.reduce((sum, config) => sum + timeoutOf(config), 0),
    check,
    close() {
      stopped.abort()
      for (const provider of providers) provider.close()
    },
  }
}

const timeoutOf = ({ timeout = DEFAULT_TIMEOUT }: KmsConfig): number => Math.min(parseMilliseconds(timeout), LONGEST_TIMER_MS)

async function openProvider(config: KmsConfig, { metrics, clock, logger, spans, open }: KmsEnvironment): Promise<KmsProvider> {
  const { name, endpoint } = config
  const openService = open ?? (await import('./grpc-service.ts')).openGrpcService
  const service = openService({
    endpoint,
    timeoutMs: timeoutOf(config),
    observer: (method, seconds, status) => metrics.called(name, method, seconds, status),
  })
  return new KmsProvider({ name, service, metrics, clock, logger, spans })
}
