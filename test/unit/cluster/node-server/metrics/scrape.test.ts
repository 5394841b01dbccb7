import { expect } from 'chai'
import type { Node } from '../../../../../src/api/core/v1.types.ts'
import { scrapedPage } from '../../../../../src/cluster/node-server/metrics/scrape.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

describe('the page of a node', () => {
  it('is printed in steps of one expression, each of which may cost some milliseconds', () => {
    const buckets = Array.from({ length: 100 }, (_, i) => ({ le: i, hidden: i < 98, value: () => 1 }))
    const labels = new Map([['zone', () => 'a']])
    const metric = { name: 'm', help: '', kind: 'histogram', dimension: 'node', labels, value: () => 0, buckets } as const
    let prepared = 0
    const prepare = (): void => {
      prepared++
    }
    const node = { metadata: { name: 'n' } } as Node
    const steps = scrapedPage({ name: 'page', path: [], metrics: [metric] }, { node, pods: [] }, prepare, (_, message) =>
      expect.fail(message),
    )
    const { result, yields } = countedSteps(steps)
    expect([yields > 100, prepared > 100]).to.deep.equal([true, true])
    expect(result.split('\n').slice(2, 5)).to.deep.equal([
      'm_bucket{zone="a",le="98"} 99',
      'm_bucket{zone="a",le="99"} 100',
      'm_bucket{zone="a",le="+Inf"} 100',
    ])
  })
})
