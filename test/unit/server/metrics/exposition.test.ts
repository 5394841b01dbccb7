import { expect } from 'chai'
import { Registry } from 'prom-client'
import { CounterFamily, GaugeFamily, HistogramFamily } from '../../../../src/lib/metrics.ts'
import { printFamilies } from '../../../../src/server/metrics/exposition.ts'
import { adopt } from '../../../../src/server/metrics/metrics-registry.ts'

describe('printFamilies', () => {
  const counter = new CounterFamily({ name: 'requests_total', help: 'Requests\nby "verb".', stability: 'STABLE', labels: ['verb', 'path'] })
  counter.child('GET', '/a"b\\c\n').value += 2
  const gauge = new GaugeFamily({ name: 'open', help: 'Open.', stability: 'ALPHA', labels: [] })
  gauge.child().value = Number.POSITIVE_INFINITY
  const histogram = new HistogramFamily({
    name: 'seconds',
    help: 'Times.',
    stability: 'ALPHA',
    labels: ['verb'],
    buckets: [0.1, 1e-8, 5e9],
  })
  histogram.child('GET').observe(0.05)
  histogram.child('POST').observe(7)
  const bare = new HistogramFamily({ name: 'left_seconds', help: 'Left.', stability: 'ALPHA', labels: [], buckets: [1] })
  bare.child().observe(0.5)
  const families = [counter, gauge, histogram, bare]

  it('prints the same text as prom-client', async () => {
    const registry = new Registry()
    for (const family of families) adopt(registry, family)
    const lines = (text: string): string[] => text.split('\n').filter(line => line !== '')
    expect(lines(Buffer.concat([...printFamilies(families)]).toString())).to.deep.equal(lines(await registry.metrics()))
  })

  it('prints many families in several pieces', () => {
    const many = new CounterFamily({ name: 'many_total', help: '', stability: 'ALPHA', labels: ['name'] })
    for (let i = 0; i < 5000; i++) many.child(`name-${i}`).value = i
    const pieces = [...printFamilies([many])]
    expect(pieces.length).to.be.above(1)
    expect(Buffer.concat(pieces).toString().split('\n')).to.have.length(5003)
  })
})
