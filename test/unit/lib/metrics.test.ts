import { expect } from 'chai'
import { Registry } from 'prom-client'
import { CounterFamily, GaugeFamily, HistogramFamily, ReadGauge } from '../../../src/lib/metrics.ts'
import { adopt } from '../../../src/server/metrics/metrics-registry.ts'

async function printed(family: CounterFamily | GaugeFamily | HistogramFamily | ReadGauge): Promise<string> {
  const registry = new Registry()
  adopt(registry, family)
  return registry.metrics()
}

describe('metric families', () => {
  it('print a counter with its stability and labels', async () => {
    const family = new CounterFamily({ name: 'requests_total', help: 'Requests.', stability: 'STABLE', labels: ['verb', 'code'] })
    family.child('GET', '200').value += 2
    family.child('GET', '404').value++
    family.child('GET', '200').value++
    expect(await printed(family)).to.equal(
      '# HELP requests_total [STABLE] Requests.\n# TYPE requests_total counter\nrequests_total{verb="GET",code="200"} 3\nrequests_total{verb="GET",code="404"} 1\n',
    )
  })

  it('keep label values apart whatever they contain', async () => {
    const family = new CounterFamily({ name: 'requests_total', help: 'Requests.', stability: 'STABLE', labels: ['group', 'resource'] })
    family.child('a\0b', 'c').value++
    family.child('a', 'b\0c').value++
    expect((await printed(family)).split('\n').slice(2, 4)).to.deep.equal([
      'requests_total{group="a\uFFFDb",resource="c"} 1',
      'requests_total{group="a",resource="b\uFFFDc"} 1',
    ])
  })

  it('print a histogram cumulatively', async () => {
    const family = new HistogramFamily({ name: 'seconds', help: 'Times.', stability: 'ALPHA', labels: ['verb'], buckets: [0.1, 1] })
    for (const value of [0.05, 0.1, 0.5, 3]) family.child('GET').observe(value)
    const lines = (await printed(family)).split('\n').filter(line => line.startsWith('seconds'))
    expect(lines).to.deep.equal([
      'seconds_bucket{verb="GET",le="0.1"} 2',
      'seconds_bucket{verb="GET",le="1"} 3',
      'seconds_bucket{verb="GET",le="+Inf"} 4',
      'seconds_sum{verb="GET"} 3.65',
      'seconds_count{verb="GET"} 4',
    ])
  })

  it('call a read gauge when it is scraped', async () => {
    let n = 1
    const family = new ReadGauge({ name: 'objects', help: 'Objects.', stability: 'ALPHA', labels: ['resource'] }, () => [['pods', n]])
    n = 7
    expect(await printed(family)).to.contain('objects{resource="pods"} 7')
  })

  it('limit the number of label sets', () => {
    const family = new GaugeFamily({ name: 'many', help: '', stability: 'ALPHA', labels: ['name'] })
    for (let i = 0; i < 20_000; i++) family.child(`n${i}`).value++
    const samples = [...family.samples()]
    expect(samples.length).to.equal(10_001)
    expect(samples.at(-1)).to.deep.equal({ metricName: 'many', labels: { name: 'other' }, value: 10_000 })
  })

  it('forget the children of one subject', () => {
    const family = new CounterFamily({
      name: 'requests_total',
      help: '',
      stability: 'ALPHA',
      labels: ['verb', 'group', 'resource', 'code'],
      subject: ['group', 'resource'],
    })
    for (const resource of ['a', 'b']) for (const code of ['200', '404']) family.child('GET', 'x.io', resource, code).value++
    family.forget('x.io', 'a')
    family.forget('x.io', 'unknown')
    family.child('GET', 'x.io', 'a', '500').value++
    expect(Array.from(family.samples(), ({ labels, value }) => [labels.resource, labels.code, value])).to.deep.equal([
      ['b', '200', 1],
      ['b', '404', 1],
      ['a', '500', 1],
    ])
  })

  it('remove the children of subjects that no longer exist when they are read', () => {
    const present = new Set(['a'])
    const isPresent = (name: string): boolean => present.has(name)
    const family = new CounterFamily({
      name: 'calls_total',
      help: '',
      stability: 'ALPHA',
      labels: ['name', 'code'],
      subject: ['name'],
      isPresent,
    })
    const shown = (): string[] => Array.from(family.samples(), ({ labels, value }) => `${labels.name} ${labels.code} ${value}`)
    for (const name of ['a', 'b', 'other']) for (const code of ['200', '404']) family.child(name, code).value++
    expect(shown()).to.deep.equal(['a 200 1', 'a 404 1', 'other 200 1', 'other 404 1'])
    present.delete('a')
    present.add('b')
    family.child('b', '200').value++
    expect(shown()).to.deep.equal(['other 200 1', 'other 404 1', 'b 200 1'])
  })
})
