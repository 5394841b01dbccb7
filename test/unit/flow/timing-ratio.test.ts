import { expect } from 'chai'
import { TimingRatioFamily } from '../../../src/flow/timing-ratio.ts'

describe('TimingRatio', () => {
  it('counts the nanoseconds for which a ratio had a value', () => {
    let now = 0
    const family = new TimingRatioFamily(
      { name: 'm', help: 'h', stability: 'ALPHA', labels: ['level'], buckets: [0, 0.5, 1], constant: { phase: 'executing' } },
      () => now,
    )
    const ratio = family.child('a')
    ratio.setDenominator(4)
    now = 1
    ratio.set(2)
    now = 3
    ratio.setDenominator(1)
    now = 4
    const samples = [...family.samples()]
    expect(samples.map(({ metricName, le, value }) => [metricName, le, value])).to.deep.equal([
      ['m_bucket', '0', 1e6],
      ['m_bucket', '0.5', 3e6],
      ['m_bucket', '1', 3e6],
      ['m_bucket', '+Inf', 4e6],
      ['m_sum', undefined, 3e6],
      ['m_count', undefined, 4e6],
    ])
    expect(samples[0]?.labels).to.deep.equal({ phase: 'executing', level: 'a' })
    expect(family.child('a')).to.equal(ratio)
  })
})
