import { expect } from 'chai'
import { withMetrics } from '../../../../src/server/filters/metrics.ts'
import type { HttpExchange } from '../../../../src/server/http/http-exchange.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'

describe('withMetrics', () => {
  const recorded: HttpExchange[] = []
  const filter = withMetrics({ record: exchange => void recorded.push(exchange) })
  beforeEach(() => {
    recorded.length = 0
  })
  const answer = (exchange: HttpExchange) => exchange.sendBytes(200, 'text/plain', Buffer.from('done'))

  it('counts a request with a response when it is over', async () => {
    const ctx = filterContext()
    await runFilter(filter, ctx, async () => {
      await answer(ctx.state.exchange)
      expect(recorded).to.deep.equal([])
    })
    expect(recorded).to.deep.equal([ctx.state.exchange])
  })
  it('counts a request that fails after its response', async () => {
    const ctx = filterContext()
    await rejection(
      runFilter(filter, ctx, async () => {
        await answer(ctx.state.exchange)
        throw new Error('oops')
      }),
    )
    expect(recorded).to.deep.equal([ctx.state.exchange])
  })
  it('does not count a request without a response', async () => {
    await runFilter(filter, filterContext())
    expect(recorded).to.deep.equal([])
  })
  it('does not count a request with an invalid path', async () => {
    const ctx = filterContext({ parsed: false })
    await runFilter(filter, ctx, () => answer(ctx.state.exchange))
    expect(recorded).to.deep.equal([])
  })
})
