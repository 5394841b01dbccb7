import { expect } from 'chai'
import { growth, quantile, samplesOf, sumsBy } from '../../../src/console/exposition.ts'

const TEXT = `# HELP a_total of a
# TYPE a_total counter
a_total{verb="GET",path="/\\"x\\\\\\n{}"} 3
a_total{verb="LIST"} 2.5e3
a_total_more 7
b 1
c{le="+Inf"} +Inf
c_odd{
`

describe('samples of the Prometheus exposition', () => {
  it('are selected by name', () => {
    expect(samplesOf(TEXT, new Set(['a_total', 'b', 'c', 'c_odd']))).to.deep.equal([
      { name: 'a_total', labels: { verb: 'GET', path: '/"x\\\n{}' }, value: 3 },
      { name: 'a_total', labels: { verb: 'LIST' }, value: 2500 },
      { name: 'b', labels: {}, value: 1 },
      { name: 'c', labels: { le: '+Inf' }, value: Number.POSITIVE_INFINITY },
    ])
  })

  it('are summed, and their growth is computed', () => {
    const now = sumsBy(samplesOf(TEXT, new Set(['a_total'])), 'a_total', 'verb')
    expect([...growth(new Map([['GET', 1]]), now)]).to.deep.equal([
      ['GET', 2],
      ['LIST', 2500],
    ])
    expect([...growth(new Map([['GET', 10]]), now)][0]).to.deep.equal(['GET', 3])
  })

  it("yield the quantiles of Prometheus' histogram_quantile", () => {
    const buckets = new Map([
      ['0.1', 50],
      ['+Inf', 100],
      ['0.5', 90],
    ])
    expect(quantile(0.5, buckets)).to.equal(0.1)
    expect(quantile(0.25, buckets)).to.equal(0.05)
    expect(quantile(0.7, buckets)).to.be.closeTo(0.3, 1e-9)
    expect(quantile(0.99, buckets)).to.equal(0.5)
    expect(quantile(0.5, new Map())).to.equal(undefined)
  })
})
