import { InfoFamily } from '../../lib/info-family.ts'
import { CounterFamily, GaugeFamily, type MetricFamily } from '../../lib/metrics.ts'
import { sha256Label } from '../../lib/sha256-label.ts'

const PREFIX = 'apiserver_manifest_admission_config_controller'
const LABELS = ['status', 'plugin', 'apiserver_id_hash']

/** Metrics of manifest reloads. Source: k8s.io/apiserver, pkg/admission/plugin/manifest/metrics. */
export class ManifestMetrics {
  readonly families: readonly MetricFamily[]
  readonly #server: string
  readonly #reloads = new CounterFamily({
    name: `${PREFIX}_automatic_reloads_total`,
    help: 'Total number of automatic reloads of admission manifest configuration split by status, plugin, and apiserver identity.',
    stability: 'ALPHA',
    labels: LABELS,
  })
  readonly #lastReloads = new GaugeFamily({
    name: `${PREFIX}_automatic_reload_last_timestamp_seconds`,
    help: 'Timestamp of the last automatic reload of admission manifest configuration split by status, plugin, and apiserver identity.',
    stability: 'ALPHA',
    labels: LABELS,
    across: 'max',
  })
  readonly #configuration = new InfoFamily(
    `${PREFIX}_last_config_info`,
    'Information about the last applied admission manifest configuration with hash as label, split by plugin and apiserver identity.',
    ['plugin', 'apiserver_id_hash', 'hash'],
  )

  /** @param serverId identity of this server among several. */
  constructor(serverId: string) {
    this.#server = sha256Label(serverId)
    this.families = [this.#reloads, this.#lastReloads, this.#configuration]
  }

  /** Records that the manifests of a plugin are in force. @param now milliseconds since the epoch. */
  loaded(plugin: string, hash: string, now: number): void {
    this.#record('success', plugin, now)
    this.#configuration.set(plugin, { plugin, apiserver_id_hash: this.#server, hash })
  }

  /** Records that the manifests of a plugin could not be loaded. */
  failed(plugin: string, now: number): void {
    this.#record('failure', plugin, now)
  }

  #record(status: string, plugin: string, now: number): void {
    this.#reloads.child(status, plugin, this.#server).value++
    this.#lastReloads.child(status, plugin, this.#server).value = now / 1000
  }
}
