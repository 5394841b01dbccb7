import type { TokenAuthenticator } from '../auth/authn/token.ts'
import { cachedTokens } from '../auth/authn/token-cache.ts'
import type { TokenCacheMetrics } from '../auth/authn/token-cache-metrics.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { AccessConfig } from '../config/access-config.ts'
import type { TimerClock } from '../lib/clock.ts'
import type { Dial } from '../lib/connect-proxy.ts'
import type { Logger } from '../lib/log.ts'

/** Webhook token authenticator, if one is configured. */
export interface TokenWebhook {
  /** The authenticator with its cache. Empty if none is configured. */
  readonly tokens: readonly TokenAuthenticator[]
  /** Closes the connections to the webhook. */
  close(): void
}

/** Dependencies of the webhook authenticator. */
export interface TokenWebhookParts {
  /** Clock of the cache and of client certificates. */
  readonly clock: TimerClock
  readonly log: Logger
  /** Counts hits and misses of the cache. */
  readonly cacheMetrics: TokenCacheMetrics
  /** Observes certificates of the webhook. Undefined if nothing is recorded. */
  readonly certificates: CertificateMetrics | undefined
  /** Optional. Default: dial directly. */
  readonly dial: Dial | undefined
}

/** First delay before a call is retried, in milliseconds, as upstream. */
const BACKOFF_MS = 500

/** Creates the webhook authenticator; its modules are loaded only if it is configured. Throws KubeconfigError. */
export async function openTokenWebhook(
  { tokenWebhook: config, serviceAccounts }: AccessConfig,
  { clock, log: logger, cacheMetrics: metrics, certificates, dial }: TokenWebhookParts,
): Promise<TokenWebhook> {
  if (config === undefined) return { tokens: [], close: () => {} }
  const [{ tokenWebhook }, { webhookBackoff }, { readKubeconfig }, { remoteClient }] = await Promise.all([
    import('../auth/authn/webhook/token-webhook.ts'),
    import('../clients/backoff.ts'),
    import('../clients/kubeconfig.ts'),
    import('../clients/remote-client.ts'),
  ])
  const client = remoteClient(await readKubeconfig(config.kubeconfigFile), { clock, certificates, dial })
  const { version, cacheTtlMs } = config
  const asked = tokenWebhook({ client, version, serverAudiences: serviceAccounts.audiences, backoff: webhookBackoff(BACKOFF_MS), logger })
  return {
    tokens: [cachedTokens(asked, { ttlMs: cacheTtlMs, keepsRefusals: true, now: () => clock.steady.now(), metrics })],
    close: () => client.close(),
  }
}
