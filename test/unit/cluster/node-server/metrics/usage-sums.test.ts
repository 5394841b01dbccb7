import { expect } from 'chai'
import { type ScrapedNames, UsageSums } from '../../../../../src/cluster/node-server/metrics/usage-sums.ts'

const SUMS = new Map([['cpu', { at: 0, amount: 1 }]])

describe('sums of usage', () => {
  it('are kept by page and node', async () => {
    const sums = new UsageSums(() => Promise.reject(new Error('not needed')))
    await sums.set('p', 'a', SUMS)
    expect([sums.get('p', 'a'), sums.get('p', 'b'), sums.get('q', 'a')]).to.deep.equal([SUMS, undefined, undefined])
  })

  it('are removed with their page or node, for which existing names are read seldom', async () => {
    let reads = 0
    const existing: ScrapedNames = { pages: new Set(['p']), nodes: new Set(['node-0', 'node-1']) }
    const sums = new UsageSums(async () => {
      reads++
      return existing
    })
    for (let i = 0; i < 1000; i++) await sums.set(i % 7 === 0 ? 'deleted' : 'p', `node-${i}`, SUMS)
    expect(sums.size).to.be.at.most(101)
    expect(reads).to.be.at.most(10)
    expect([sums.get('p', 'node-1'), sums.get('p', 'node-2'), sums.get('deleted', 'node-0')]).to.deep.equal([SUMS, undefined, undefined])
  })
})
