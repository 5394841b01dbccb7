import { expect } from 'chai'
import { metricStateOf } from '../../../src/lifecycle/metric-lives.ts'
import { compareReleases, type Release } from '../../../src/lifecycle/release.ts'

const state = (name: string, release: Release) => metricStateOf(name, 'ALPHA', release)

describe('a metric in a release', () => {
  it('has its declared stability if all releases agree', () =>
    expect(metricStateOf('apiserver_request_total', 'STABLE', '1.24')).to.deep.equal({
      stability: 'STABLE',
      deprecated: undefined,
      hidden: false,
    }))
  it('is promoted', () => {
    const classes = (['1.25', '1.26', '1.30', '1.31', '1.36'] as const).map(
      release => state('apiserver_validating_admission_policy_check_total', release)?.stability,
    )
    expect(classes).to.deep.equal([undefined, 'ALPHA', 'ALPHA', 'BETA', 'BETA'])
    expect(state('workqueue_depth', '1.36')?.stability).to.equal('BETA')
    expect(state('apiserver_storage_consistency_checks_total', '1.33')?.stability).to.equal('INTERNAL')
  })
  it('exists since the release that introduced it', () => {
    expect(state('apiserver_storage_size_bytes', '1.27')).to.equal(undefined)
    expect(state('apiserver_storage_size_bytes', '1.28')?.stability).to.equal('ALPHA')
  })
  it('exists if the release has it: key management services', () => {
    const since = (name: string) =>
      (['1.26', '1.27', '1.28', '1.29'] as const).find(release => state(`apiserver_envelope_encryption_${name}`, release) !== undefined)
    expect([since('key_id_hash_total'), since('kms_operations_latency_seconds'), since('dek_source_cache_size')]).to.deep.equal([
      '1.27',
      '1.27',
      '1.29',
    ])
  })
  it('exists until the release that removes it', () => {
    expect(state('apiserver_flowcontrol_request_concurrency_limit', '1.36')).to.include({ deprecated: '1.30.0', hidden: true })
    expect(state('apiserver_flowcontrol_request_concurrency_limit', '1.37')).to.equal(undefined)
  })
  it('is hidden with its deprecation if it is alpha', () => {
    expect(state('apiserver_cache_list_total', '1.36')).to.deep.equal({ stability: 'ALPHA', deprecated: undefined, hidden: false })
    expect(state('apiserver_cache_list_total', '1.37')).to.deep.equal({ stability: 'ALPHA', deprecated: '1.37.0', hidden: true })
    expect(state('apiserver_watch_events_total', '1.37')?.stability).to.equal('BETA')
  })
  it('reports its deprecation, and is hidden three releases later if it is stable', () => {
    const told = (['1.33', '1.34', '1.35', '1.36', '1.37'] as const).map(release => {
      const { deprecated, hidden } = state('apiserver_storage_objects', release) ?? {}
      return [release, deprecated, hidden]
    })
    expect(told).to.deep.equal([
      ['1.33', undefined, false],
      ['1.34', undefined, false],
      ['1.35', '1.34.0', false],
      ['1.36', '1.34.0', false],
      ['1.37', '1.34.0', true],
    ])
    expect(compareReleases('1.37', '1.36')).to.be.above(0)
  })
})
