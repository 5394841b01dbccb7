import { expect } from 'chai'
import { failure } from '../../../src/meta/status.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

async function notFound(): Promise<void> {
  throw failure(404, 'NotFound', 'not here', {})
}

describe('own routes', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer(notFound, {
      endpoints: {
        ownRoutes: [
          {
            path: '/binnacle/v1/things/',
            methods: ['GET', 'POST'],
            handle: exchange => exchange.sendBytes(200, 'text/plain', Buffer.from(exchange.path)),
          },
          { path: '/binnacle/v1/one', methods: ['GET'], handle: exchange => exchange.sendBytes(200, 'text/plain', Buffer.from('one')) },
        ],
      },
    })
  })
  after(() => server.close())

  const get = async (path: string, method = 'GET'): Promise<string> => {
    const { status, body } = await server.plain(path, { method })
    return status === 200 ? body.toString() : String(status)
  }

  it('match by path or by prefix', async () => {
    expect(await get('/binnacle/v1/one')).to.equal('one')
    expect(await get('/binnacle/v1/things/')).to.equal('/binnacle/v1/things/')
    expect(await get('/binnacle/v1/things/a/b%2Fc', 'POST')).to.equal('/binnacle/v1/things/a/b/c')
  })
  it('match no other paths', async () => {
    for (const path of ['/binnacle/v1/one/', '/binnacle/v1/things', '/binnacle/v1/thing', '/Binnacle/v1/one'])
      expect(await get(path), path).to.equal('404')
  })
  it('reject other methods', async () => {
    expect(await get('/binnacle/v1/one', 'POST')).to.equal('405')
    expect(await get('/binnacle/v1/things/a', 'DELETE')).to.equal('405')
  })
  it('require authorization', async () => {
    const { status } = await server.secure('/binnacle/v1/one', { headers: { authorization: 'Bearer alice' } })
    expect(status).to.equal(403)
  })
})
