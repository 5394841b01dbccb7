import { createHash } from 'node:crypto'
import { CounterFamily, GaugeFamily, type MetricFamily, type Sample } from '../../../lib/metrics.ts'

/** What becomes of changes of the file. Source: k8s.io/apiserver, pkg/server/options/authorizationconfig/metrics. */
export class AuthorizationConfigMetrics {
  readonly #server: string
  readonly #reloads = new CounterFamily({
    name: 'apiserver_authorization_config_controller_automatic_reloads_total',
    help: 'Total number of automatic reloads of authorization configuration split by status and apiserver identity.',
    stability: 'ALPHA',
    labels: ['status', 'apiserver_id_hash'],
  })
  readonly #lastReloads = new GaugeFamily({
    name: 'apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds',
    help: 'Timestamp of the last automatic reload of authorization configuration split by status and apiserver identity.',
    stability: 'ALPHA',
    labels: ['status', 'apiserver_id_hash'],
    across: 'max',
  })
  readonly #configuration = new LastConfiguration()

  readonly families: readonly MetricFamily[] = [this.#reloads, this.#lastReloads, this.#configuration]

  /** `serverId`: kube-apiserver's identity among others. */
  constructor(serverId: string) {
    this.#server = hashOf(serverId)
  }

  /** `now`: milliseconds since the epoch. */
  reloaded(status: 'success' | 'failure', now: number): void {
    this.#reloads.child(status, this.#server).value++
    this.#lastReloads.child(status, this.#server).value = now / 1000
  }

  /** The content of the file that is in force. */
  configured(bytes: Buffer): void {
    this.#configuration.labels = { apiserver_id_hash: this.#server, hash: hashOf(bytes) }
  }
}

const hashOf = (data: string | Buffer): string => (data.length === 0 ? '' : `sha256:${createHash('sha256').update(data).digest('hex')}`)

/** Tells what is in force by its labels; the value is 1. */
class LastConfiguration implements MetricFamily {
  readonly name = 'apiserver_authorization_config_controller_last_config_info'
  readonly help = 'Information about the last applied authorization configuration with hash as label, split by apiserver identity.'
  readonly stability = 'ALPHA'
  readonly type = 'gauge'
  readonly across = 'max'
  labels: Readonly<Record<string, string>> | undefined

  samples(): Sample[] {
    return this.labels === undefined ? [] : [{ metricName: this.name, labels: this.labels, value: 1 }]
  }
}
