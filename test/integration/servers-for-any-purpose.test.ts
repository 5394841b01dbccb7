import { once } from 'node:events'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { issuerClient } from '../../src/auth/authn/jwt/issuer-client.ts'
import type { Destination, Trust } from '../../src/catalog/connect.ts'
import { ClusterClient } from '../../src/clients/cluster-client.ts'
import { keptConnections, post } from '../../src/clients/post.ts'
import { ask, askOver, type Reply } from '../../src/endpoints/connect/ask.ts'
import { BackendTransport } from '../../src/extensions/aggregation/transports.ts'
import { dialThrough } from '../../src/lib/connect-proxy.ts'
import { errorMessage } from '../../src/lib/error-message.ts'
import { trustedCertificates } from '../../src/lib/trusted-certificates.ts'
import { UnaryConnections } from '../../src/protocols/grpc/unary-connections.ts'
import { ANY_PURPOSE, issueCertificate } from '../support/certificates.ts'
import { eventually } from '../support/waiting.ts'

const never = new AbortController().signal

/** Each way by which the server reaches others over TLS. */
describe('servers whose certificate allows any purpose are trusted', () => {
  let ca: string
  let others: string
  let server: Server
  let port: number
  let grpc: Http2SecureServer
  before(async () => {
    const root = await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true })
    const own = await issueCertificate({
      subject: [{ CN: ['server'] }],
      issuer: root,
      usages: [ANY_PURPOSE],
      dns: ['localhost', 'server.default.svc'],
    })
    ca = root.cert
    others = (await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true })).cert
    server = createServer(
      { cert: own.cert, key: own.key },
      (req, res) => void req.resume().on('end', () => res.setHeader('content-type', 'application/json').end('{}')),
    )
    server.on('connect', (_, socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    server.listen(0)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    grpc = createSecureServer({ cert: own.cert, key: own.key }).listen(0)
    await once(grpc, 'listening')
  })
  after(() => {
    server.closeAllConnections()
    server.close()
    grpc.close()
  })

  const statusOf = async ({ response }: Reply): Promise<number> => {
    response.resume()
    return response.statusCode ?? 0
  }
  const to = (trust: Trust): Destination => ({ scheme: 'https', host: 'localhost', port: String(port), path: '/', query: '', trust })
  const question = { method: 'GET', headers: [], signal: never }
  const ways: Readonly<Record<string, (authority: string) => Promise<unknown>>> = {
    async webhooks(authority) {
      const agent = keptConnections(trustedCertificates(authority))
      const answer = await post(
        { agent, host: 'localhost', port, authority: 'localhost', serverName: 'localhost', path: '/', headers: {} },
        '{}',
        never,
      )
      agent.destroy()
      return answer.status
    },
    async issuers(authority) {
      const ended = new AbortController()
      const { code } = await issuerClient(authority, ended.signal)
        .get(`https://localhost:${port}/`)
        .finally(() => ended.abort())
      return code
    },
    kubelets: async authority => statusOf(await ask(to('kubelet'), { certificateAuthority: authority } as never, question)),
    async 'aggregated servers'(authority) {
      const backend = { namespace: 'default', name: 'server', port, certificateAuthority: authority, insecureSkipTLSVerify: false }
      const { transport } = new BackendTransport(backend, undefined, undefined)
      return statusOf(await askOver(transport, to('anything'), question)).finally(() => transport.agent?.destroy())
    },
    async clusters(authority) {
      const client = new ClusterClient({ server: new URL(`https://localhost:${port}`), headers: {}, tls: { ca: authority } })
      await client.json('/').finally(() => client.close())
      return 200
    },
    proxies: authority =>
      new Promise((resolve, reject) => {
        dialThrough({ at: { host: 'localhost', port }, tls: trustedCertificates(authority) })('10.0.0.1', 443, (error, socket) => {
          socket?.destroy()
          if (error) reject(error)
          else resolve(200)
        })
      }),
  }
  for (const [what, asks] of Object.entries(ways))
    it(`among ${what}, with their own authority only`, async () => {
      expect(await asks(ca)).to.equal(200)
      expect(await asks(others).catch(errorMessage)).to.match(/certificate/)
    })

  it('among members of etcd, with their own authority only', async () => {
    const address = `localhost:${(grpc.address() as AddressInfo).port}`
    const [right, wrong] = [ca, others].map(
      authority => new UnaryConnections({ userAgent: 'test', credentials: () => trustedCertificates(authority) }),
    ) as [UnaryConnections, UnaryConnections]
    await eventually('a connection', () => {
      expect(wrong.to(address)).to.equal(undefined)
      return right.to(address) !== undefined
    })
    right.close()
    wrong.close()
  })
})
