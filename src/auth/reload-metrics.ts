import { InfoFamily } from '../lib/info-family.ts'
import { CounterFamily, GaugeFamily, type MetricFamily, type Stability } from '../lib/metrics.ts'
import { sha256Label } from '../lib/sha256-label.ts'

/**
 * Metrics of configuration file reloads. Source: k8s.io/apiserver, pkg/server/options/authenticationconfig/metrics and
 * authorizationconfig/metrics.
 */
export class ReloadMetrics {
  readonly families: readonly MetricFamily[]
  readonly #server: string
  readonly #reloads: CounterFamily
  readonly #lastReloads: GaugeFamily
  readonly #configuration: InfoFamily

  /** @param serverId identity of this server among several. */
  constructor(subject: 'authentication' | 'authorization', stability: Stability, serverId: string) {
    this.#server = sha256Label(serverId)
    const labels = ['status', 'apiserver_id_hash']
    const prefix = `apiserver_${subject}_config_controller`
    this.#reloads = new CounterFamily({
      name: `${prefix}_automatic_reloads_total`,
      help: `Total number of automatic reloads of ${subject} configuration split by status and apiserver identity.`,
      stability,
      labels,
    })
    this.#lastReloads = new GaugeFamily({
      name: `${prefix}_automatic_reload_last_timestamp_seconds`,
      help: `Timestamp of the last automatic reload of ${subject} configuration split by status and apiserver identity.`,
      stability,
      labels,
      across: 'max',
    })
    this.#configuration = new InfoFamily(
      `${prefix}_last_config_info`,
      `Information about the last applied ${subject} configuration with hash as label, split by apiserver identity.`,
      ['apiserver_id_hash', 'hash'],
    )
    this.families = [this.#reloads, this.#lastReloads, this.#configuration]
  }

  /** Records a reload. @param now milliseconds since the epoch. */
  reloaded(status: 'success' | 'failure', now: number): void {
    this.#reloads.child(status, this.#server).value++
    this.#lastReloads.child(status, this.#server).value = now / 1000
  }

  /** Records the content of the file in force. */
  configured(bytes: Buffer): void {
    this.#configuration.set('', { apiserver_id_hash: this.#server, hash: sha256Label(bytes) })
  }
}
