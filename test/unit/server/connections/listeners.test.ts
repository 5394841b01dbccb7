import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:https'
import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import { expect } from 'chai'
import { Connections } from '../../../../src/server/connections/connections.ts'
import { createSecurePort, open, type Port, serveHanded } from '../../../../src/server/connections/listeners.ts'
import type { Listener } from '../../../../src/server/http/any-http.ts'
import { issueCa, issueServing } from '../../../../src/server/tls/issue.ts'
import { ServingCertificates } from '../../../../src/server/tls/serving-certificates.ts'
import { connectRaw, keyUpdates } from '../../../support/key-updates.ts'
import { eventually } from '../../../support/waiting.ts'

/** A server that is handed its connections by a listener in the same process. */
async function handed(answer: (path: string) => Promise<string>) {
  const server = createServer({ headersTimeout: 150, requestTimeout: 300, connectionsCheckingInterval: 50 }, (req, res) => {
    void answer(req.url ?? '').then(text => res.end(text))
  })
  let take: ((socket: Socket) => void) | undefined
  const holder = net.createServer({ pauseOnConnect: true }, socket => {
    socket.on('error', () => {})
    if (take === undefined) return void socket.destroy()
    socket.resume()
    take(socket)
  })
  holder.listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const address = holder.address()
  const number = typeof address === 'object' && address ? address.port : 0
  const port: Port = serveHanded(server, {
    port: number,
    open: given => {
      take = given
    },
    close: () => {
      take = undefined
    },
  })
  return { port, stop: () => holder.close() }
}

/** Sends a text. Returns the bytes until the end. */
async function send(port: number, text: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => {})
  let got = ''
  socket.setEncoding('utf8').on('data', part => {
    got += part
  })
  socket.write(text)
  await new Promise(resolve => socket.once('end', resolve).once('close', resolve))
  socket.destroy()
  return got
}

const answerOk: Listener = (_req, res) => void res.end('ok')
const REQUEST = 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

describe('serveHanded', () => {
  it('serves connections, and reports the port', async () => {
    const { port, stop } = await handed(async path => `you asked for ${path}`)
    expect(await send(port.port, REQUEST)).to.match(/^HTTP\/1\.1 200 OK[\s\S]*you asked for \/x$/)
    await port.close()
    stop()
  })

  it('enforces the time limit of headers', async () => {
    const { port, stop } = await handed(async () => '')
    expect(await send(port.port, 'GET /x HTTP/1.1\r\nHos')).to.match(/^HTTP\/1\.1 408 /)
    await port.close()
    stop()
  })

  it('accepts no connections after close, which resolves when the open ones are closed', async () => {
    let finish: ((text: string) => void) | undefined
    const { port, stop } = await handed(
      () =>
        new Promise(resolve => {
          finish = resolve
        }),
    )
    const asked = send(port.port, REQUEST)
    await eventually('it has come', () => finish !== undefined)
    let closed = false
    const closing = port.close().then(() => {
      closed = true
    })
    expect(await send(port.port, REQUEST)).to.equal('')
    expect(closed).to.equal(false)
    finish?.('done')
    expect(await asked).to.match(/done$/)
    await closing
    stop()
  })

  it('closes open connections on destroy', async () => {
    let came = false
    const { port, stop } = await handed(() => {
      came = true
      return new Promise(() => {})
    })
    const asked = send(port.port, REQUEST)
    await eventually('it has come', () => came)
    const closing = port.close()
    port.destroy()
    expect(await asked).to.equal('')
    await closing
    stop()
  })
})

describe('createSecurePort', () => {
  let server: Server
  let ca: string
  /** Certificate of the server. */
  let connections: Connections
  let port: number
  const sockets: net.Socket[] = []
  beforeEach(async () => {
    const authority = await issueCa('ca')
    ca = authority.cert
    const { cert, key } = await issueServing(authority, 'server', { dns: ['localhost'], ips: [] })
    server = createSecurePort(answerOk, { certificates: new ServingCertificates({ cert, key, clientCa: ca }), http2: 'own' })
    connections = new Connections()
    port = (await open(server, 0, '127.0.0.1', connections)).port
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    connections.destroy()
    server.close()
  })
  const connect = (options: tls.ConnectionOptions = {}): tls.TLSSocket => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca, servername: 'localhost', ...options }).on('error', () => {})
    sockets.push(socket)
    return socket
  }

  for (const [maxVersion, cipher] of [
    ['TLSv1.3', 'TLS_AES_128_GCM_SHA256'],
    ['TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ] as const)
    it(`prefers AES-128 over ${maxVersion}, regardless of the client's preference`, async () => {
      const socket = connect({ maxVersion })
      await once(socket, 'secureConnect')
      expect(socket.getCipher().name).to.equal(cipher)
    })

  it('completes concurrent handshakes beside silent connections', async () => {
    for (let i = 0; i < 3; i++) sockets.push(net.connect(port, '127.0.0.1').on('error', () => {}))
    await eventually('they are accepted', () => connections.size === 3)
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect()
        socket.write(REQUEST)
        const [answer] = await once(socket, 'data')
        return String(answer).slice(0, 15)
      }),
    )
    expect(answers).to.deep.equal(answers.map(() => 'HTTP/1.1 200 OK'))
  })

  it('closes a connection that only sends key updates', async () => {
    const ordinary = await connectRaw(port)
    const flooding = await connectRaw(port)
    sockets.push(ordinary.socket, flooding.socket)
    ordinary.socket.write(keyUpdates(ordinary, 200))
    flooding.socket.write(keyUpdates(flooding, 4000))
    await eventually('it is closed', () => {
      connections.look(performance.now())
      return connections.size === 1
    })
    expect(ordinary.socket.destroyed).to.equal(false)
  })
})
