import { expect } from 'chai'
import { pathNotFoundError } from '../../../../src/meta/status.ts'
import { serveMounts } from '../../../../src/server/mounts/serve-mounts.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'

describe('mountedChain', () => {
  let server: TestServer
  let begun: () => void = () => {}
  let leave: () => void = () => {}
  const asked: string[] = []
  before(async () => {
    server = await startTestServer(
      async exchange => {
        begun()
        await new Promise<void>(resolve => {
          leave = resolve
        })
        await exchange.sendBytes(200, 'text/plain', Buffer.from('done'))
      },
      {
        limits: { maxInFlight: 1 },
        access: {
          authorizer: {
            authorize: async ({ name }, { path }) => {
              asked.push(path)
              return { decision: name === 'alice' ? 'allow' : 'no opinion', reason: '' }
            },
          },
        },
        endpoints: {
          mounts: serveMounts({
            authenticate: async (_mount, { headers }) => ({
              identity: { name: headers.authorization ? 'alice' : 'nobody', groups: [] },
              isLocal: false,
            }),
            hold: () => Promise.reject(pathNotFoundError()),
          }),
        },
      },
    )
  })
  after(() => server.close())

  it('authorizes the use of a mount only for requests that get seats', async () => {
    const reached = new Promise<void>(resolve => {
      begun = resolve
    })
    const alice = { headers: { authorization: 'Bearer alice' } }
    const slow = server.secure('/api/v1/namespaces/ns/things/a', alice)
    await reached
    asked.length = 0
    expect((await server.secure('/binnacle/at/5/api')).status).to.equal(429)
    expect(asked).to.deep.equal([])
    leave()
    await slow
    expect((await server.secure('/binnacle/at/5/api')).status).to.equal(403)
    expect((await server.secure('/binnacle/at/5/api', alice)).status).to.equal(404)
    expect(asked).to.deep.equal(['/binnacle/at/5', '/binnacle/at/5'])
  })
})
