import { expect } from 'chai'
import { FramedBatch } from '../../../src/endpoints/shared-frames.ts'
import { WatchMetrics } from '../../../src/endpoints/watch-metrics.ts'

const DEPLOYMENTS = { group: 'apps', name: 'v1', kind: 'Deployment', names: { plural: 'deployments' } }
const frames = (...sizes: number[]) => new FramedBatch(sizes.map(size => Buffer.alloc(size)))

describe('watch metrics', () => {
  let metrics: WatchMetrics
  const value = (name: string, wanted: Record<string, string> = {}) =>
    metrics
      .families()
      .flatMap(family => [...family.samples()])
      .filter(
        ({ metricName, labels, le }) =>
          metricName === name && Object.entries(wanted).every(([label, of]) => (label === 'le' ? le : labels[label]) === of),
      )
      .map(sample => sample.value)
  beforeEach(() => {
    metrics = new WatchMetrics('1.33')
  })

  it('count events and their sizes by kind, for small and large batches', () => {
    const [one, other] = [metrics.meter(DEPLOYMENTS, '', ''), metrics.meter(DEPLOYMENTS, 'default', '')]
    const many = frames(...Array.from({ length: 20 }, () => 2000))
    one.sent(frames(500, 200_000))
    one.sent(many)
    other.sent(many)
    other.sent(frames())
    const kind = { group: 'apps', version: 'v1', kind: 'Deployment' }
    expect(value('apiserver_watch_events_total', kind)).to.deep.equal([42])
    expect(value('apiserver_watch_events_sizes_count', kind)).to.deep.equal([42])
    expect(value('apiserver_watch_events_sizes_sum', kind)).to.deep.equal([280_500])
    expect(value('apiserver_watch_events_sizes_bucket', kind)).to.deep.equal([1, 41, 41, 41, 41, 41, 41, 41, 42])
    expect(value('apiserver_watch_events_sizes_bucket', { le: '131072' })).to.deep.equal([41])
  })

  it('measure the initial events by scope', () => {
    metrics.meter(DEPLOYMENTS, '', '').initialEventsSent(0.3)
    metrics.meter(DEPLOYMENTS, 'default', '').initialEventsSent(0.3)
    metrics.meter(DEPLOYMENTS, 'default', 'web').initialEventsSent(0.5)
    const name = 'apiserver_watch_list_duration_seconds_sum'
    const of = { group: 'apps', version: 'v1', resource: 'deployments' }
    expect(['cluster', 'namespace', 'resource'].map(scope => value(name, { ...of, scope })[0])).to.deep.equal([0.3, 0.3, 0.5])
  })
})
