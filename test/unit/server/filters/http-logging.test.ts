import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { withHttpLogging } from '../../../../src/server/filters/http-logging.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'
import { queued, schemaOf, testFlows } from '../../../support/flow.ts'

describe('withHttpLogging', () => {
  const lines: unknown[] = []
  const log = { ...silentLogger, info: (message: string, fields: object = {}) => void lines.push({ message, ...fields, latency: '' }) }
  beforeEach(() => {
    lines.length = 0
  })

  it('logs a line when the request is over', async () => {
    const ctx = filterContext({
      url: '/api/v1/pods?a=b',
      headers: { 'user-agent': 'tester', 'audit-id': 'mine' },
      user: { name: 'alice', groups: [] },
    })
    await runFilter(withHttpLogging(log), ctx, async () => {
      expect(lines).to.deep.equal([])
      await ctx.state.exchange.sendBytes(200, 'text/plain', Buffer.from('done'))
    })
    expect(lines).to.deep.equal([
      {
        message: 'HTTP',
        verb: 'list',
        URI: '/api/v1/pods?a=b',
        latency: '',
        userAgent: 'tester',
        'audit-ID': 'mine',
        user: 'alice',
        resp: 200,
      },
    ])
  })
  it('logs failed requests, and those with an invalid path', async () => {
    await rejection(runFilter(withHttpLogging(log), filterContext({ parsed: false }), () => Promise.reject(new Error('oops'))))
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ verb: '', resp: 0 })
  })

  it('logs the fields of priority and fairness', async () => {
    const { flows, clock } = testFlows(1, {
      levels: [queued('level', 1, { queues: 1, handSize: 1, queueLengthLimit: 2 })],
      schemas: [schemaOf('alice', 'level')],
    })
    const ctx = filterContext({ url: '/api/v1/pods?watch=1', user: { name: 'alice', groups: ['system:authenticated'] } })
    const { exchange } = ctx.state
    await runFilter(withHttpLogging(log), ctx, async () => {
      exchange.seats = flows.start(exchange)
      clock.run(clock.now() + 20)
      flows.finish(exchange.seats)
    })
    expect(lines[0]).to.include({
      apf_pl: 'level',
      apf_fs: 'of-alice',
      apf_iseats: 1,
      apf_fseats: 0,
      apf_additionalLatency: '0.0ms',
      apf_init_latency: '20.0ms',
      apf_execution_time: '20.0ms',
    })
  })
})
