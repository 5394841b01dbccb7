import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { type ConnectProxy, DialledAgent, dialThrough } from '../../../src/lib/connect-proxy.ts'
import { issueCa, issueClient, issueServing } from '../../../src/server/tls/issue.ts'
import { ConnectProxyServer } from '../../support/connect-proxy-server.ts'

const dialled = (proxy: ConnectProxy, host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => dialThrough(proxy)(host, port, (error, socket) => (socket ? resolve(socket) : reject(error))))
const fault = (proxy: ConnectProxy): Promise<string> =>
  dialled(proxy, 'example.test', 443).then(
    () => '',
    (error: Error) => error.message,
  )

describe('connections through a proxy', () => {
  const server = createServer((req, res) => res.end(`${req.headers.host} ${req.url}`))
  const directory = mkdtempSync(join(tmpdir(), 'proxy-'))
  let port = 0
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })

  async function ask(proxy: ConnectProxy): Promise<string> {
    const asking = request({ agent: new DialledAgent(dialThrough(proxy), {}), host: '127.0.0.1', port, path: '/a' }).end()
    const [response] = await once(asking, 'response')
    return text(response)
  }

  it('go over TCP, a socket, and TLS with a certificate of the client', async () => {
    const ca = await issueCa('proxies')
    const serving = await issueServing(ca, 'proxy', { dns: [], ips: ['127.0.0.1'] })
    const client = await issueClient(ca, 'apiserver', [])
    const socketPath = join(directory, 's')
    const [plain, local, secure] = await Promise.all([
      ConnectProxyServer.start(),
      ConnectProxyServer.start({ path: socketPath }),
      ConnectProxyServer.start({ tls: { ...serving, ca: ca.cert, requestCert: true, rejectUnauthorized: true } }),
    ])
    const at = (proxy: ConnectProxyServer) => ({ host: '127.0.0.1', port: proxy.port })
    for (const [proxy, way] of [
      [plain, { at: at(plain) }],
      [local, { at: { socketPath } }],
      [secure, { at: at(secure), tls: { ca: ca.cert, cert: client.cert, key: client.key } }],
    ] as const) {
      expect(await ask(way)).to.equal(`127.0.0.1:${port} /a`)
      expect(proxy.asked).to.deep.equal([`127.0.0.1:${port}`])
      proxy.close()
    }
  })

  it('fail in words that tell the proxy', async () => {
    const proxy = await ConnectProxyServer.start()
    const name = `127.0.0.1:${proxy.port}`
    const way = { at: { host: '127.0.0.1', port: proxy.port } }
    proxy.answer = 'HTTP/1.1 403 Forbidden\r\n\r\n'
    expect(await fault(way)).to.equal(`proxy error from ${name} while dialing example.test:443, code 403: 403 Forbidden`)
    proxy.answer = 'HTTP/1.1 200 OK\r\n\r\nhello'
    expect(await fault(way)).to.equal(`unexpected 5 bytes of buffered data from CONNECT proxy "${name}"`)
    proxy.answer = ''
    expect(await fault(way)).to.equal(`reading HTTP response from CONNECT to example.test:443 via proxy ${name} failed: EOF`)
    proxy.close()
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port: free } = closed.address() as AddressInfo
    closed.close()
    expect(await fault({ at: { host: '127.0.0.1', port: free } })).to.equal(`dial tcp 127.0.0.1:${free}: connect: connection refused`)
  })
})
