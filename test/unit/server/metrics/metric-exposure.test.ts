import { expect } from 'chai'
import { CounterFamily, GaugeFamily, HistogramFamily, type MetricFamily } from '../../../../src/lib/metrics.ts'
import { printFamilies } from '../../../../src/server/metrics/exposition.ts'
import { exposedFamilies, type MetricExposure } from '../../../../src/server/metrics/metric-exposure.ts'

const stored = (): GaugeFamily => {
  const family = new GaugeFamily({ name: 'apiserver_storage_objects', help: 'Objects.', stability: 'STABLE', labels: ['resource'] })
  family.child('pods').value = 3
  return family
}

/** Lines of a scrape. Without the metrics on exposure itself unless `all`. */
function lines(families: readonly MetricFamily[], exposure: Partial<MetricExposure>, all = false): string[] {
  const own = /registered_metrics|disabled_metrics|hidden_metrics|cardinality_enforcement|# TYPE/
  const shown = exposedFamilies(families, {
    release: '1.33',
    showHidden: false,
    disabled: new Set(),
    allowedLabels: new Map(),
    ...exposure,
  })
  return Buffer.concat([...printFamilies(shown)])
    .toString()
    .split('\n')
    .filter(line => line !== '' && (all || !own.test(line)))
}

describe('exposedFamilies', () => {
  it('prints the stability level of a metric', () =>
    expect(lines([stored()], {})[0]).to.equal('# HELP apiserver_storage_objects [STABLE] Objects.'))
  it('prefixes the help with a deprecation notice', () =>
    expect(lines([stored()], { release: '1.35' })[0]).to.equal(
      '# HELP apiserver_storage_objects [STABLE] (Deprecated since 1.34.0) Objects.',
    ))
  it('hides metrics that were deprecated earlier, unless they are requested', () => {
    expect(lines([stored()], { release: '1.37' })).to.deep.equal([])
    expect(lines([stored()], { release: '1.37', showHidden: true })).to.have.length(2)
  })
  it('omits disabled metrics, even if hidden ones are shown', () =>
    expect(lines([stored()], { release: '1.37', showHidden: true, disabled: new Set(['apiserver_storage_objects']) })).to.deep.equal([]))
  it('omits metrics that the release does not have', () => {
    const later = new CounterFamily({ name: 'authorization_attempts_total', help: 'Attempts.', stability: 'ALPHA', labels: [] })
    later.child()
    expect([lines([later], { release: '1.27' }).length, lines([later], { release: '1.28' }).length]).to.deep.equal([0, 2])
  })
  it('merges label values that are not allowed, and counts them', () => {
    const requests = new CounterFamily({ name: 'requests_total', help: 'Requests.', stability: 'ALPHA', labels: ['verb', 'code'] })
    for (const [verb, code] of [
      ['GET', '200'],
      ['PUT', '200'],
      ['FOO', '200'],
      ['FOO', '500'],
    ] as const)
      requests.child(verb, code).value += 2
    const seconds = new HistogramFamily({ name: 'seconds', help: 'Time.', stability: 'ALPHA', labels: ['verb'], buckets: [1] })
    for (const verb of ['GET', 'FOO', 'BAR']) seconds.child(verb).observe(0.5)
    const allowedLabels = new Map([
      ['requests_total', new Map([['verb', new Set(['GET'])]])],
      ['seconds', new Map([['verb', new Set(['GET'])]])],
    ])
    const printed = lines([requests, seconds], { allowedLabels }, true)
    expect(printed.filter(line => line.startsWith('requests_total'))).to.deep.equal([
      'requests_total{verb="GET",code="200"} 2',
      'requests_total{verb="unexpected",code="200"} 4',
      'requests_total{verb="unexpected",code="500"} 2',
    ])
    expect(printed).to.include('seconds_bucket{verb="unexpected",le="1"} 2').and.to.include('seconds_count{verb="unexpected"} 2')
    expect(printed).to.include('cardinality_enforcement_unexpected_categorizations_total 8')
  })
  it('counts registered metrics by stability level and deprecation', () => {
    const printed = lines([stored()], { release: '1.37', disabled: new Set(['a', 'b']) }, true)
    expect(printed).to.include('registered_metrics_total{stability_level="STABLE",deprecated_version="1.34.0"} 1')
    expect(printed).to.include('disabled_metrics_total 2').and.to.include('hidden_metrics_total 1')
  })
})
