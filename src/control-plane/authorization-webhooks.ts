import type { AuthorizerEntry } from '../auth/authz/configuration/configuration.ts'
import {
  AuthorizationConfigError,
  type ConfigurationRules,
  parseAuthorizationConfiguration,
} from '../auth/authz/configuration/configuration-file.ts'
import { webhookAuthorizer } from '../auth/authz/webhook/authorizer.ts'
import { AuthorizationWebhookMetrics } from '../auth/authz/webhook/metrics.ts'
import { ReloadMetrics } from '../auth/reload-metrics.ts'
import { webhookBackoff } from '../clients/backoff.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import { readKubeconfig } from '../clients/kubeconfig.ts'
import { KubeconfigError } from '../clients/kubeconfig-error.ts'
import { type RemoteClient, remoteClient } from '../clients/remote-client.ts'
import { readConfigFile } from '../lib/bounded-input.ts'
import type { TimerClock } from '../lib/clock.ts'
import type { Dial } from '../lib/connect-proxy.ts'
import { errorMessage } from '../lib/error-message.ts'
import { followFile } from '../lib/follow-file.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import { serverId } from './server-id.ts'

/** Parsed file of `--authorization-config`. */
export interface ReadChain {
  readonly file: string
  /** Contents, to which the first look compares. */
  readonly bytes: Buffer
  /** Authorizers in their order. */
  readonly entries: readonly AuthorizerEntry[]
}

/** Dependencies of authorization webhooks. */
export interface WebhooksOptions {
  readonly gates: Gates
  /** Clock of caches, retries and metrics. */
  readonly clock: TimerClock
  readonly log: Logger
  /** Optional. Counts weak certificates of webhooks. */
  readonly certificates?: CertificateMetrics | undefined
  /** Optional. Default: dial directly. */
  readonly dial?: Dial | undefined
}

/** Interval between checks of the file's modification time, in milliseconds. */
const LOOK_MS = 1_000
/** First delay before a call is retried, in milliseconds, as upstream. */
const BACKOFF_MS = 500

/** Webhook authorizers, and the configuration file that lists them. */
export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #calls = new AuthorizationWebhookMetrics()
  readonly #changes = new ReloadMetrics('authorization', 'ALPHA', serverId())
  #clients: readonly RemoteClient[] = []
  #followed = false

  constructor(options: WebhooksOptions) {
    this.#options = options
  }

  /** Metrics of calls, and of reloads once the file is followed. */
  get metrics(): readonly MetricFamily[] {
    return [...this.#calls.families, ...(this.#followed ? this.#changes.families : [])]
  }

  /** Reads and parses the file. Throws AuthorizationConfigError or a system error. */
  async read(file: string): Promise<ReadChain> {
    const bytes = await readConfigFile(file)
    return { file, bytes, entries: parseAuthorizationConfiguration(bytes, this.#rules) }
  }

  /** Creates the webhook authorizers of a chain, by name. Throws an Error with a message for the user. */
  async open(chain: readonly (AuthorizerEntry | { readonly type: 'Rules' })[]): Promise<ReadonlyMap<string, Authorizer>> {
    const { gates, log, clock } = this.#options
    const opened = new Map<string, Authorizer>()
    const clients: RemoteClient[] = []
    for (const entry of chain) {
      if (entry.type !== 'Webhook') continue
      const { kubeconfigFile, timeoutMs, ...settings } = entry.webhook
      const client = await clientOf(kubeconfigFile, timeoutMs, this.#options)
      clients.push(client)
      const environment = {
        metrics: this.#calls,
        logger: log,
        now: () => clock.steady.now(),
        selectors: gates.enabled('AuthorizeWithSelectors'),
      }
      opened.set(entry.name, webhookAuthorizer({ ...settings, name: entry.name, client, backoff: webhookBackoff(BACKOFF_MS) }, environment))
    }
    // Previous clients are dropped. Their idle connections time out.
    this.#clients = clients
    return opened
  }

  /**
   * Applies the file whenever it changes, until the signal aborts. An invalid file is ignored. Modes other than Webhook
   * must stay in it.
   */
  async follow(
    { file, bytes, entries }: ReadChain,
    takeUp: (entries: readonly AuthorizerEntry[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log } = this.#options
    const required = entries.flatMap(({ type }) => (type === 'Webhook' ? [] : [type]))
    let inForce = JSON.stringify(entries)
    this.#followed = true
    this.#changes.reloaded('success', clock.now())
    this.#changes.configured(bytes)
    const changed = async (next: Buffer): Promise<void> => {
      const read = parseAuthorizationConfiguration(next, this.#rules, required)
      const text = JSON.stringify(read)
      if (text === inForce) return
      await takeUp(read)
      inForce = text
      this.#changes.reloaded('success', clock.now())
      this.#changes.configured(next)
      log.info('reloaded authz config', { file })
    }
    const failed = (error: unknown): boolean => {
      this.#changes.reloaded('failure', clock.now())
      log.error('reloading authorization config', { file, error: errorMessage(error) })
      return false
    }
    await followFile({ file, bytes, intervalMs: LOOK_MS, changed, failed }, signal)
  }

  /** Closes connections to webhooks. */
  close(): void {
    for (const client of this.#clients) client.close()
  }

  /** Rules by which the release validates the file. */
  get #rules(): ConfigurationRules {
    const { gates } = this.#options
    return {
      release: gates.release,
      structured: gates.enabled('StructuredAuthorizationConfiguration'),
      selectors: gates.enabled('AuthorizeWithSelectors'),
    }
  }
}

/** Creates the client of a webhook. Throws AuthorizationConfigError if the kubeconfig is invalid. */
async function clientOf(file: string, timeoutMs: number, { clock, certificates, dial }: WebhooksOptions): Promise<RemoteClient> {
  try {
    return remoteClient(await readKubeconfig(file), { clock, timeoutMs, certificates, dial })
  } catch (error) {
    throw error instanceof KubeconfigError ? new AuthorizationConfigError(`invalid authorization config: ${error.message}`) : error
  }
}
