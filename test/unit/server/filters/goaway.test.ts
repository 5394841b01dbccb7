import { once } from 'node:events'
import http2 from 'node:http2'
import { expect } from 'chai'
import { withProbabilisticGoaway } from '../../../../src/server/filters/goaway.ts'
import { filterContext, runFilter } from '../../../support/filter-context.ts'
import { HTTP2_STACKS } from '../../../support/http2-stacks.ts'
import { ORDINARY, startTestServer } from '../../../support/server.ts'
import { eventually } from '../../../support/waiting.ts'

describe('withProbabilisticGoaway', () => {
  for (const [chance, random, leaves] of [
    [0.01, 0.009, true],
    [0.01, 0.01, false],
    [0.01, 0.5, false],
    [1, 0.999, true],
  ] as const)
    it(`${leaves ? 'sends' : 'does not send'} GOAWAY at ${random} with a chance of ${chance}`, async () => {
      const ctx = filterContext()
      let left = 0
      Object.defineProperties(ctx.state.exchange, { isHttp2: { value: true }, leaveConnection: { value: () => left++ } })
      let passed = false
      await runFilter(
        withProbabilisticGoaway(chance, () => random),
        ctx,
        async () => {
          passed = true
        },
      )
      expect([left, passed]).to.deep.equal([leaves ? 1 : 0, true])
    })

  for (const stack of HTTP2_STACKS)
    it(`completes open requests and lets the connection end (--http2=${stack})`, async () => {
      const open: (() => void)[] = []
      const server = await startTestServer(
        async exchange => {
          if (exchange.info.name === 'slow') await new Promise<void>(resolve => open.push(resolve))
          await exchange.sendBytes(200, 'text/plain', Buffer.from('done'))
        },
        { http: { http2: stack, conduct: { ...ORDINARY, goawayChance: 1 } } },
      )
      const session = http2.connect(`https://127.0.0.1:${server.running.securePort}`, {
        ca: server.credentials.serverCa,
        ...server.credentials.admin,
      })
      try {
        const goaway = once(session, 'goaway')
        const stream = session.request({ ':path': '/api/v1/namespaces/ns/things/slow' })
        const response = once(stream, 'response')
        expect((await goaway)[0]).to.equal(http2.constants.NGHTTP2_NO_ERROR)
        const closed = once(session, 'close')
        // The client may read GOAWAY before the request has passed the later filters.
        await eventually('the handler is called', () => open.length === 1)
        open[0]?.()
        const [headers] = await response
        expect(headers[':status']).to.equal(200)
        stream.resume()
        await closed
        expect((await server.secure('/api/v1/namespaces/ns/things/x', { admin: true })).headers.connection).to.equal('keep-alive')
      } finally {
        session.destroy()
        await server.close()
      }
    })
})
