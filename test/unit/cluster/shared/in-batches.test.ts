import { expect } from 'chai'
import { inBatches } from '../../../../src/cluster/shared/in-batches.ts'

describe('calls in batches', () => {
  for (const { count, limit, successes, calls } of [
    { count: 10, limit: 10, successes: 10, calls: 10 },
    { count: 10, limit: 5, successes: 5, calls: 7 },
    { count: 10, limit: 0, successes: 0, calls: 1 },
    { count: 0, limit: 0, successes: 0, calls: 0 },
  ])
    it(`makes ${calls} calls of ${count} if those beyond ${limit} fail`, async () => {
      let made = 0
      const outcome = await inBatches(count, async () => {
        if (++made > limit) throw new Error('no')
      })
      expect([outcome.successes, made]).to.deep.equal([successes, calls])
      expect(outcome.error === undefined).to.equal(successes === count)
    })
})
