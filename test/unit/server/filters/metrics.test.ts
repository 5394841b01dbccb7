import { expect } from 'chai'
import type { HttpExchange } from '../../../../src/server/exchange.ts'
import { withMetrics } from '../../../../src/server/filters/metrics.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'

describe('withMetrics', () => {
  const recorded: HttpExchange[] = []
  const filter = withMetrics({ record: exchange => void recorded.push(exchange) })
  beforeEach(() => {
    recorded.length = 0
  })
  const answer = (exchange: HttpExchange) => exchange.sendBytes(200, 'text/plain', Buffer.from('done'))

  it('counts an answered request once it is over', async () => {
    const ctx = filterContext()
    await runFilter(filter, ctx, async () => {
      await answer(ctx.state.exchange)
      expect(recorded).to.deep.equal([])
    })
    expect(recorded).to.deep.equal([ctx.state.exchange])
  })
  it('counts one that fails after its answer', async () => {
    const ctx = filterContext()
    await rejection(
      runFilter(filter, ctx, async () => {
        await answer(ctx.state.exchange)
        throw new Error('oops')
      }),
    )
    expect(recorded).to.deep.equal([ctx.state.exchange])
  })
  it('counts none that nobody has answered', async () => {
    await runFilter(filter, filterContext())
    expect(recorded).to.deep.equal([])
  })
  it('counts none whose path is no request', async () => {
    const ctx = filterContext({ parsed: false })
    await runFilter(filter, ctx, () => answer(ctx.state.exchange))
    expect(recorded).to.deep.equal([])
  })
})
