import net from 'node:net'
import { expect } from 'chai'
import type { Exchange } from '../../../src/endpoints/exchange.ts'
import { failure } from '../../../src/meta/status.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { eventually } from '../../support/waiting.ts'

const text = (exchange: Exchange, body: string): Promise<void> => exchange.sendBytes(200, 'text/plain', Buffer.from(body))

/** Actions of the test's handler, by the name in the path. */
const acts: Record<string, (exchange: Exchange) => Promise<void>> = {
  echo: async exchange => text(exchange, String(await exchange.readBody(10))),
  who: exchange => text(exchange, JSON.stringify(exchange.ctx.user)),
  throw: async () => {
    throw new Error('oops')
  },
  status: async () => {
    throw failure(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 7 })
  },
  silent: async () => {},
  warn: async exchange => {
    exchange.ctx.warn('one')
    exchange.ctx.warn('two "quoted"')
    exchange.ctx.warn('one')
    await text(exchange, '')
  },
  hang: () => new Promise(() => {}),
  patient: exchange =>
    new Promise((_, reject) => {
      exchange.ctx.signal.addEventListener('abort', () => reject(exchange.ctx.signal.reason))
    }),
  path: exchange => text(exchange, `${exchange.path} ${exchange.query.get('a')}`),
}

async function handler(exchange: Exchange): Promise<void> {
  const act = acts[exchange.ctx.info.name]
  if (act === undefined) throw failure(404, 'NotFound', 'the server could not find the requested resource', {})
  await act(exchange)
}

const url = (name: string, query = ''): string => `/api/v1/namespaces/ns/things/${name}${query}`

describe('the handler chain', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer(handler)
  })
  after(() => server.close())

  const statusOf = (body: Buffer): { message: string; reason: string; code: number } => JSON.parse(body.toString())

  for (const over of ['plain', 'http2'] as const) {
    describe(`over ${over}`, () => {
      it('sets the common headers of every response', async () => {
        const { status, headers } = await server[over](url('path'), { headers: { 'audit-id': 'mine' } })
        expect(status).to.equal(200)
        expect(headers).to.include({ 'audit-id': 'mine', 'cache-control': 'no-cache, private', 'content-type': 'text/plain' })
        expect(headers.date).to.be.a('string')
      })
      it('generates an audit ID', async () => expect((await server[over](url('path'))).headers['audit-id']).to.match(/^[0-9a-f-]{36}$/))
      it('decodes the path', async () =>
        expect((await server[over]('/api/v1/namespaces/n%C3%A4s/things/path?a=b%20c')).body.toString()).to.equal(
          '/api/v1/namespaces/näs/things/path b c',
        ))
      it('refuses a path that cannot be decoded', async () => {
        const { status, headers, body } = await server[over](url('%zz'))
        expect([status, headers['content-type'], body.toString()]).to.deep.equal([400, 'text/plain; charset=utf-8', '400 Bad Request'])
        expect((await server[over](url('%ff'))).status).to.equal(400)
      })
      it('reads bodies', async () =>
        expect((await server[over](url('echo'), { method: 'POST', body: 'hello' })).body.toString()).to.equal('hello'))
      it('refuses a body whose declared length exceeds the limit', async () => {
        const { status, body } = await server[over](url('echo'), { method: 'PUT', body: 'x'.repeat(11), headers: { 'content-length': 11 } })
        expect(status).to.equal(413)
        expect(statusOf(body)).to.include({ message: 'Request entity too large: limit is 10', reason: 'RequestEntityTooLarge' })
      })
      it('sends 500 for a bug', async () => {
        const { status, body } = await server[over](url('throw'))
        expect(status).to.equal(500)
        expect(statusOf(body)).to.include({ message: 'Internal error occurred: oops', reason: 'InternalError' })
      })
      it('sends a Status unchanged, with Retry-After', async () => {
        const { status, headers } = await server[over](url('status'))
        expect(status).to.equal(429)
        expect(headers['retry-after']).to.equal('7')
      })
      it('sends 500 if the handler does not respond', async () => expect((await server[over](url('silent'))).status).to.equal(500))
      it('sends each warning once', async () =>
        expect((await server[over](url('warn'))).headers.warning).to.equal('299 - "one", 299 - "two \\"quoted\\""'))
      it('responds by the deadline', async () => {
        const { status, body } = await server[over](url('patient', '?timeout=50ms'))
        expect(status).to.equal(504)
        expect(statusOf(body)).to.include({ message: 'Timeout: request did not complete within the allotted timeout', reason: 'Timeout' })
      })
      for (const timeout of ['1ns', '999us'])
        it(`refuses the timeout ${timeout} as upstream does: a bare Status without negotiation`, async () => {
          const { status, headers, body } = await server[over](url('path', `?timeout=${timeout}`))
          expect([status, headers['content-type']]).to.deep.equal([504, 'text/plain; charset=utf-8'])
          expect(body.toString()).to.equal(
            '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
          )
        })
      it('responds by the deadline even if the handler ignores its signal', async () =>
        expect((await server[over](url('hang', '?timeout=50ms'))).status).to.equal(504))
      it('refuses an invalid timeout', async () => {
        const { body } = await server[over](url('path', '?timeout=soon'))
        expect(statusOf(body)).to.include({
          code: 400,
          message: 'invalid timeout specified in the request URL - time: invalid duration "soon"',
        })
      })
      it('sends no body for HEAD', async () => {
        const { status, headers, body } = await server[over](url('path', '?a=1'), { method: 'HEAD' })
        expect([status, body.length]).to.deep.equal([200, 0])
        expect(Number(headers['content-length'])).to.be.greaterThan(0)
      })
    })
  }

  describe('the user of a request', () => {
    const user = async (answer: Promise<{ body: Buffer }>): Promise<{ name: string; groups: string[] }> =>
      JSON.parse((await answer).body.toString())
    it('has the common name and the organizations of a certificate', async () =>
      expect(await user(server.secure(url('who'), { admin: true }))).to.deep.include({
        name: 'kubernetes-admin',
        groups: ['system:masters', 'system:authenticated'],
      }))
    it('is the same over HTTP/2', async () => expect(await user(server.http2(url('who')))).to.include({ name: 'kubernetes-admin' }))
    it('is system:unsecured on the insecure port', async () =>
      expect(await user(server.plain(url('who')))).to.include({ name: 'system:unsecured' }))
    it('may be impersonated', async () =>
      expect(
        statusOf((await server.http2(url('who'), { headers: { 'impersonate-user': 'bob', 'impersonate-group': 'dev' } })).body).message,
      ).to.equal('things "who" is forbidden: User "bob" cannot get resource "things" in API group "" in the namespace "ns"'))
    it('is system:anonymous without credentials', async () => {
      const { status, body } = await server.secure(url('who'))
      expect(status).to.equal(403)
      expect(statusOf(body).message).to.equal(
        'things "who" is forbidden: User "system:anonymous" cannot get resource "things" in API group "" in the namespace "ns"',
      )
    })
    it('gets 401 for an invalid token', async () => {
      const { status, body } = await server.secure(url('who'), { headers: { authorization: 'Bearer nonsense' } })
      expect(status).to.equal(401)
      expect(statusOf(body).message).to.equal('Unauthorized')
    })
    it('is the owner of a token', async () =>
      expect(statusOf((await server.secure('/metrics', { headers: { authorization: 'Bearer alice' } })).body).message).to.equal(
        'forbidden: User "alice" cannot get path "/metrics"',
      ))
    it('is not required to read the version', async () => expect((await server.secure('/version')).status).to.equal(200))
  })

  describe('the non-resource endpoints', () => {
    for (const [accept, status] of [
      ['application/json;q=0.1, text/html', 200],
      ['*/*', 200],
      ['application/*', 406],
      ['application/vnd.kubernetes.protobuf', 406],
    ] as const)
      it(`serve the version as JSON only: ${accept}`, async () =>
        expect((await server.plain('/version', { headers: { accept } })).status).to.equal(status))
    it('serve the version', async () =>
      expect(JSON.parse((await server.plain('/version')).body.toString())).to.include({ major: '1', minor: '33' }))
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])
      it(`do not serve the version for ${method}`, async () => expect((await server.plain('/version', { method })).status).to.equal(405))
    it('respond with 404 for an unknown check', async () => {
      const { status, body } = await server.plain('/healthz/none')
      expect([status, body.toString()]).to.deep.equal([404, '404 page not found\n'])
    })
    it('count requests', async () => {
      await server.plain(url('path'))
      const metrics = (await server.plain('/metrics')).body.toString()
      expect(metrics).to.match(
        /^apiserver_request_total\{verb="GET",dry_run="",group="",version="v1",resource="things",subresource="",scope="resource",component="apiserver",code="200"\} \d+$/m,
      )
      expect(metrics).to.contain('apiserver_request_duration_seconds_bucket{')
      expect(metrics).to.contain('apiserver_current_inflight_requests{request_kind="readOnly"}')
      expect(metrics).to.contain('process_cpu_seconds_total')
    })
    it('omit labels of resources that are not served', async () => {
      // For resources regardless of the response, and for paths with a character that separates labels.
      const paths = [
        'apis/invented/v9/namespaces/ns/things/nothing',
        'api/invented/things/path',
        'api/v1/invented/path',
        'api/v1/things/path/invented',
        'invented',
      ]
      for (const path of paths) await server.plain(`/${path}`)
      for (const method of ['POST', 'PUT', 'OPTIONS']) await server.plain('/api/v1/namespaces/ns/invented%00x/path', { method })
      await server.secure('/api/v1/invented%00/x')
      const metrics = (await server.plain('/metrics')).body.toString()
      expect(metrics).not.to.contain('invented')
      const sets = metrics.split('\n').filter(line => line.startsWith('apiserver_request_total{')).length
      for (let i = 0; i < 200; i++) await server.secure(`/apis/invented${i}/v1/a${i}/b/c${i}`)
      const after = (await server.plain('/metrics')).body.toString()
      expect(after.split('\n').filter(line => line.startsWith('apiserver_request_total{')).length).to.equal(sets)
    })
    it('leave other paths to the handler', async () => expect((await server.plain('/nowhere')).status).to.equal(404))
  })

  it('responds with 405 to an unknown method', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = net.connect(server.running.insecurePort ?? 0, '127.0.0.1', () =>
        socket.write('FOO /api/v1/pods HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      )
      let got = ''
      socket.on('data', data => {
        got += data
      })
      socket.on('error', reject)
      socket.on('end', () => resolve(got))
    })
    expect(answer).to.match(/^HTTP\/1\.1 405 /)
    expect(answer).to.contain('"the server does not allow this method on the requested resource"')
  })

  it('reports single health checks, and why they fail, to authorized users', async () => {
    server.health.add({
      name: 'store',
      check: () => {
        throw new Error('connect ECONNREFUSED 192.0.2.1:2379')
      },
    })
    for (const path of ['/healthz/store', '/livez/store', '/readyz/store', '/healthz/store/', '/healthz/nothing'])
      expect((await server.secure(path)).status, path).to.equal(403)
    const whole = await server.secure('/healthz?verbose')
    expect([whole.status, whole.body.toString()]).to.deep.equal([500, '[-]store failed: reason withheld\nhealthz check failed\n'])
    expect((await server.secure('/healthz/store', { admin: true })).body.toString()).to.contain('192.0.2.1')
  })

  it('reports health for any method, over HTTP/2 for any word', async () => {
    const asked = async (over: 'http2' | 'plain', method: string, path: string) => {
      const { status, headers } = await server[over](path, { method })
      return [status, headers['x-content-type-options']]
    }
    server.health.add({ name: 'well', check: () => {} })
    for (const [over, method] of [
      ['plain', 'GET'],
      ['plain', 'PROPFIND'],
      ['http2', 'DELETE'],
      ['http2', 'FOO'],
    ] as const) {
      expect(await asked(over, method, '/livez/well'), method).to.deep.equal([200, undefined])
      expect(await asked(over, method, '/livez?exclude=store'), method).to.deep.equal([200, 'nosniff'])
    }
    expect(await asked('http2', 'FOO', '/version')).to.deep.equal([405, undefined])
  })

  it('refuses web pages on the insecure port', async () => {
    expect((await server.plain('/version', { headers: { origin: 'http://evil' } })).status).to.equal(403)
    expect((await server.plain('/version', { headers: { host: 'evil.example' } })).status).to.equal(403)
    expect((await server.plain('/version', { headers: { 'sec-fetch-site': 'cross-site' } })).status).to.equal(403)
    expect(
      (await server.plain('/version', { headers: { 'sec-fetch-site': 'cross-site', connection: 'Upgrade', upgrade: 'websocket' } })).status,
    ).to.equal(403)
    expect((await server.plain('/version', { headers: { host: 'localhost:1' } })).status).to.equal(200)
  })
})

describe('the in-flight limit', () => {
  it('responds with 429 beyond it, and serves other requests', async () => {
    const waiting: (() => void)[] = []
    const server = await startTestServer(
      async exchange => {
        await new Promise<void>(resolve => waiting.push(resolve))
        await text(exchange, 'done')
      },
      { limits: { maxInFlight: 1 }, access: { authorizer: { authorize: async () => ({ decision: 'allow', reason: '' }) } } },
    )
    try {
      const alice = { headers: { authorization: 'Bearer alice' } }
      const first = server.secure(url('x'), alice)
      await eventually('the first has come', () => waiting.length === 1)
      const second = await server.secure(url('x'), alice)
      expect(second.status).to.equal(429)
      expect(second.headers['retry-after']).to.equal('1')
      const write = server.secure(url('x'), { ...alice, method: 'PUT' })
      const admin = server.secure(url('x'), { admin: true })
      await eventually('the others have come', () => waiting.length === 3)
      for (const go of waiting) go()
      expect((await Promise.all([first, write, admin])).map(answer => answer.status)).to.deep.equal([200, 200, 200])
    } finally {
      await server.close()
    }
  })
})
