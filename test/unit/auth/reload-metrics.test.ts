import { expect } from 'chai'
import { ReloadMetrics } from '../../../src/auth/reload-metrics.ts'
import { sha256Label } from '../../../src/lib/sha256-label.ts'

describe('ReloadMetrics', () => {
  const server = sha256Label('one')

  /** Samples by name without the common prefix, with labels and values. */
  const samplesOf = (metrics: ReloadMetrics): unknown[] =>
    metrics.families.flatMap(family =>
      [...family.samples()].map(({ metricName, labels, value }) => [
        metricName.replace('apiserver_authorization_config_controller_', ''),
        labels,
        value,
      ]),
    )

  it('has no samples before the first event', () => expect(samplesOf(new ReloadMetrics('authorization', 'ALPHA', 'one'))).to.deep.equal([]))

  it('counts reloads, with the time of the last and the hash of the configuration in force', () => {
    const metrics = new ReloadMetrics('authorization', 'ALPHA', 'one')
    metrics.configured(Buffer.from('before'))
    metrics.reloaded('success', 2_000)
    metrics.reloaded('failure', 3_000)
    metrics.reloaded('success', 4_500)
    metrics.configured(Buffer.from('now'))
    const [success, failure] = ['success', 'failure'].map(status => ({ status, apiserver_id_hash: server }))
    expect(samplesOf(metrics)).to.deep.equal([
      ['automatic_reloads_total', success, 2],
      ['automatic_reloads_total', failure, 1],
      ['automatic_reload_last_timestamp_seconds', success, 4.5],
      ['automatic_reload_last_timestamp_seconds', failure, 3],
      ['last_config_info', { apiserver_id_hash: server, hash: sha256Label('now') }, 1],
    ])
  })

  it('has the stability of its subject', () => {
    const classes = (metrics: ReloadMetrics): unknown => metrics.families.map(({ name, stability }) => [name.split('_')[1], stability])
    expect(classes(new ReloadMetrics('authentication', 'BETA', ''))).to.deep.equal([
      ['authentication', 'BETA'],
      ['authentication', 'BETA'],
      ['authentication', 'ALPHA'],
    ])
  })
})
