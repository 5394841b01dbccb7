import { expect } from 'chai'
import { ORDINARY, startTestServer, type TestServer } from '../../../support/server.ts'

/** Cases of k8s.io/apiserver's TestCORSAllowedOrigins, over a whole server: preflight requests have no credentials. */
describe('withCors', () => {
  const THINGS = '/api/v1/namespaces/ns/things/x'
  const ALLOWING = {
    'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
    'access-control-allow-headers':
      'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
    'access-control-expose-headers': 'Date',
    'access-control-allow-credentials': 'true',
  }
  let server: TestServer | undefined
  afterEach(() => server?.close())
  const start = async (...corsOrigins: string[]): Promise<TestServer> => {
    server = await startTestServer(exchange => exchange.sendBytes(200, 'text/plain', Buffer.from('done')), {
      http: { conduct: { ...ORDINARY, corsOrigins } },
    })
    return server
  }

  const cases: readonly { allowed: string[]; allows: string[]; refuses: string[] }[] = [
    { allowed: [], allows: [], refuses: ['', 'http://example.com', 'example.com'] },
    {
      allowed: ['^http://example.com(:|$)', '//example2.com(:|$)'],
      allows: ['http://example.com', 'http://example.com:8081', 'https://example2.com', 'http://example2.com:1'],
      refuses: ['', 'https://example.com', 'http://example.com.evil.org', 'http://not-example2.com', 'http://example.org'],
    },
    {
      allowed: ['//(.*\\.)?subdomain\\.com$'],
      allows: ['https://a.b.subdomain.com', 'http://subdomain.com'],
      refuses: ['http://subdomain.com:80'],
    },
    { allowed: ['^.*$'], allows: ['null', 'http://x'], refuses: ['', `http://${'x'.repeat(5000)}`] },
  ]
  for (const { allowed, allows, refuses } of cases) {
    for (const origin of allows)
      it(`allows ${origin} by ${allowed.join(' or ')}`, async () => {
        const { secure } = await start(...allowed)
        const { status, headers, body } = await secure(THINGS, { headers: { origin }, admin: true })
        expect([status, body.toString()]).to.deep.equal([200, 'done'])
        expect(headers).to.include({ ...ALLOWING, 'access-control-allow-origin': origin })
      })
    for (const origin of refuses)
      it(`does not allow ${JSON.stringify(origin.slice(0, 30))} by ${allowed.join(' or ') || 'nothing'}`, async () => {
        const { secure } = await start(...allowed)
        const { status, headers } = await secure(THINGS, { headers: { origin }, admin: true })
        expect(status).to.equal(200)
        expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).to.deep.equal([])
      })
  }

  it('responds to preflight requests of allowed origins only', async () => {
    const { secure, http2 } = await start('//example\\.com(:|$)')
    const preflight = { method: 'OPTIONS', headers: { origin: 'https://example.com' } }
    for (const send of [secure, http2]) {
      const { status, headers, body } = await send(THINGS, preflight)
      expect([status, body.length]).to.deep.equal([204, 0])
      expect(headers).to.include({ ...ALLOWING, 'access-control-allow-origin': 'https://example.com' })
      expect(headers['content-type']).to.equal(undefined)
    }
    expect((await secure(THINGS, { ...preflight, headers: { origin: 'https://example.org' } })).status).to.equal(403)
  })

  it('sets the headers of error responses as well', async () => {
    const { secure } = await start('//example\\.com(:|$)')
    const { status, headers } = await secure(THINGS, { headers: { origin: 'https://example.com' } })
    expect([status, headers['access-control-allow-origin']]).to.deep.equal([403, 'https://example.com'])
  })
})
