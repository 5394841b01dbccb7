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

  it('use TCP, a socket, or TLS with a client certificate', async () => {
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

  it('send the name of the proxy in TLS', async () => {
    const ca = await issueCa('proxies')
    const serving = await issueServing(ca, 'proxy', { dns: ['localhost'], ips: [] })
    const named: unknown[] = []
    const SNICallback = (name: string, done: (error: null) => void): void => {
      named.push(name)
      done(null)
    }
    const proxy = await ConnectProxyServer.start({ tls: { ...serving, SNICallback } })
    expect(await ask({ at: { host: 'localhost', port: proxy.port }, tls: { ca: ca.cert } })).to.equal(`127.0.0.1:${port} /a`)
    expect(named).to.deep.equal(['localhost'])
    expect(await fault({ at: { host: '127.0.0.1', port: proxy.port }, tls: { ca: ca.cert } })).to.match(
      /^tls: failed to verify certificate: x509: cannot validate certificate for 127\.0\.0\.1/,
    )
    proxy.close()
  })

  it('fail if the response of the proxy takes too long, even if bytes keep arriving', async () => {
    const proxy = createTcpServer(socket => {
      const timer = setInterval(() => socket.write('H'), 20)
      socket.on('error', () => {}).on('close', () => clearInterval(timer))
      socket.write('HTTP/1.1 200 OK\r\n')
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const way = { host: '127.0.0.1', port: (proxy.address() as AddressInfo).port }
    const error = await new Promise<Error | null>(resolve => dialThrough({ at: way }, undefined, 200)('example.test', 443, resolve))
    expect(error?.message).to.equal(`dial tcp 127.0.0.1:${way.port}: i/o timeout`)
    proxy.close()
  })

  it('fail for an invalid name without throwing', async () => {
    for (const host of ['a b', 'a\r\nX: y', 'ü'])
      expect(await new Promise<Error | null>(resolve => dialThrough({ at: { socketPath: '/none' } })(host, 443, resolve))).to.have.property(
        'message',
        `dial tcp: lookup ${host}: no such host`,
      )
  })

  it('fail with errors that name the proxy', async () => {
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

  it('are reported to the observer', async () => {
    const proxy = await ConnectProxyServer.start()
    const told: string[] = []
    const observer = {
      started: () => told.push('started'),
      failed: (stage: string) => told.push(`failed: ${stage}`),
      connected: (seconds: number) => told.push(`connected: ${seconds > 0}`),
    }
    const dial = (way: ConnectProxy) =>
      new Promise<void>(resolve => {
        dialThrough(way, observer)('127.0.0.1', port, (_, socket) => {
          socket?.destroy()
          resolve()
        })
      })
    const way = { at: { host: '127.0.0.1', port: proxy.port } }
    await dial(way)
    proxy.answer = 'HTTP/1.1 403 Forbidden\r\n\r\n'
    await dial(way)
    proxy.answer = ''
    await dial(way)
    proxy.close()
    await dial({ at: { socketPath: join(directory, 'absent') } })
    await dial({ ...way, tls: {} })
    expect(told).to.deep.equal([
      ...['started', 'connected: true', 'started', 'failed: proxy', 'started', 'failed: proxy'],
      ...['started', 'failed: connect', 'started', 'failed: connect'],
    ])
  })
})
