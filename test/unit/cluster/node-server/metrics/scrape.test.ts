import { expect } from 'chai'
import type { Node } from '../../../../../src/api/core/v1.types.ts'
import { MAX_PAGE_LENGTH, PageText, printFamily } from '../../../../../src/cluster/node-server/metrics/exposition.ts'
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

  it('has at most 16 MiB, and is printed in steps', () => {
    const value = 'x'.repeat(10_000)
    const page = new PageText()
    const observations = Array.from({ length: 2000 }, (_, le) => ({ le, hidden: false, count: 1 }))
    const steps = printFamily(
      { name: 'm', help: '', kind: 'histogram', samples: [{ labels: [['a', value]], value: 0, observations }] },
      page,
    )
    let yields = 0
    expect(() => {
      for (; !steps.next().done; yields++);
    }).to.throw(`the page has more than ${MAX_PAGE_LENGTH} characters`)
    expect(yields).to.be.at.least(50)
  })

  it('leaves out a metric that exceeds the number of values', () => {
    const buckets = Array.from({ length: 500_001 }, () => ({ le: 1, hidden: true, value: () => 1 }))
    const metric = { name: 'm', help: '', kind: 'histogram', dimension: 'node', labels: new Map(), value: () => 0, buckets } as const
    const messages: string[] = []
    const scraped = { node: { metadata: { name: 'n' } } as Node, pods: [] }
    const steps = scrapedPage(
      { name: 'page', path: [], metrics: [metric] },
      scraped,
      () => {},
      (_, message) => messages.push(message),
    )
    expect(countedSteps(steps).result).to.equal('')
    expect(messages).to.deep.equal(['the page has more than 500000 values'])
  })
})
