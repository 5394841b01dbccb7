import { expect } from 'chai'
import { withExchange } from '../../../../src/server/filters/create-exchange.ts'
import { responseBuffers } from '../../../../src/server/http/response-buffers.ts'
import { encodeStatusAsJson } from '../../../../src/server/http/status-body.ts'
import { filterContext, runFilter } from '../../../support/filter-context.ts'

describe('withExchange', () => {
  const filter = withExchange({ encodeStatus: encodeStatusAsJson, compressAnswers: false, memory: responseBuffers() })

  it('creates the exchange of a request', async () => {
    const { req, res } = filterContext({ method: 'PUT', url: '/a%20b?c=d', headers: { 'Audit-ID': 'mine' } })
    const ctx = { req, res, state: {} as ReturnType<typeof filterContext>['state'] }
    await runFilter(filter, ctx, async () => {
      const { method, path, search, auditId, answered, isParsed } = ctx.state.exchange
      expect({ method, path, search, auditId, answered, isParsed }).to.deep.equal({
        method: 'PUT',
        path: '/a b',
        search: 'c=d',
        auditId: 'mine',
        answered: false,
        isParsed: false,
      })
    })
  })
  it('generates an audit ID if the client sends none', async () => {
    const ctx = filterContext()
    await runFilter(filter, ctx)
    expect(ctx.state.exchange.auditId).to.match(/^[0-9a-f-]{36}$/)
  })
})
