import { expect } from 'chai'
import { withWaitGroup } from '../../../../src/server/filters/wait-group.ts'
import { RequestsInProgress } from '../../../../src/server/requests-in-progress.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'

describe('withWaitGroup', () => {
  it('keeps a request in the set until it is over', async () => {
    const requests = new RequestsInProgress()
    const ctx = filterContext()
    await runFilter(withWaitGroup(requests), ctx, async () => {
      expect([...requests.all]).to.deep.equal([ctx.state.exchange])
    })
    expect(requests.all.size).to.equal(0)
  })
  it('removes failed requests', async () => {
    const requests = new RequestsInProgress()
    const error = new Error('oops')
    expect(await rejection(runFilter(withWaitGroup(requests), filterContext(), () => Promise.reject(error)))).to.equal(error)
    expect(requests.all.size).to.equal(0)
  })
})
