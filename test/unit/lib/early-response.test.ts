import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'
import { createServer as createSecure } from 'node:tls'
import { expect } from 'chai'
import { askOver } from '../../../src/endpoints/connect/ask.ts'
import { errorMessage } from '../../../src/lib/error-message.ts'
import { issueCa, issueServing, type KeyPair } from '../../../src/server/tls/issue.ts'
import { never } from '../../support/backend.ts'
import { eventually } from '../../support/waiting.ts'

const HEAD = 'HTTP/1.1 413 Payload Too Large\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 8\r\n\r\n'
const tls = { rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }

describe('a response before the end of a request', () => {
  let keys: KeyPair
  let server: Server
  const sockets = new Set<Socket>()
  before(async () => {
    keys = await issueServing(await issueCa('early'), 'early', { dns: ['localhost'], ips: ['127.0.0.1'] })
  })
  afterEach(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })

  /** A server that reads only the head of a request and then calls a function. */
  async function serve(isSecure: boolean, act: (socket: Socket) => void): Promise<number> {
    const take = (socket: Socket): void => {
      sockets.add(socket)
      socket.on('error', () => {}).once('close', () => sockets.delete(socket))
      let head = ''
      const read = (bytes: Buffer): void => {
        head += bytes.toString('latin1')
        if (!head.includes('\r\n\r\n')) return
        socket.off('data', read).pause()
        act(socket)
      }
      socket.on('data', read)
    }
    server = isSecure ? createSecure({ ...keys, ALPNProtocols: ['http/1.1'] }, take) : createServer(take)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** An endless body that counts the bytes read. */
  function endless(): { body: Readable; readBytes: () => number } {
    let bytes = 0
    const block = Buffer.alloc(64 * 1024)
    const body = new Readable({
      read() {
        bytes += block.length
        setImmediate(() => this.push(block))
      },
    })
    return { body, readBytes: () => bytes }
  }

  async function upload(port: number, isSecure: boolean, body: Readable): Promise<string> {
    const scheme = isSecure ? 'https' : 'http'
    const destination = { scheme, host: '127.0.0.1', port: String(port), path: '/', query: '', trust: 'anything' } as const
    const { response } = await askOver({ tls }, destination, {
      method: 'POST',
      headers: ['Transfer-Encoding', 'chunked'],
      body,
      signal: never,
    })
    let text = ''
    for await (const part of response) text += part
    return `${response.statusCode} ${text}`
  }

  const manners: Readonly<Record<string, (socket: Socket) => void>> = {
    'closes its connection immediately': socket => socket.write(`${HEAD}too long`, () => socket.destroy()),
    'closes it when the client has been sending for long': socket =>
      void setTimeout(() => socket.write(`${HEAD}too long`, () => socket.destroy()), 200),
    'ends it': socket => void socket.end(`${HEAD}too long`),
    'leaves it open and reads no more': socket => void socket.write(`${HEAD}too long`),
    'sends it in two parts': socket => {
      socket.write(HEAD)
      setTimeout(() => socket.write('too long', () => socket.destroy()), 50)
    },
  }
  for (const isSecure of [false, true])
    for (const [what, act] of Object.entries(manners))
      it(`is read from a server that ${what}, ${isSecure ? 'with' : 'without'} TLS`, async () => {
        const port = await serve(isSecure, act)
        for (let i = 0; i < 5; i++) {
          const { body } = endless()
          expect(await upload(port, isSecure, body)).to.equal('413 too long')
          body.destroy()
        }
      })

  it('ends the body, and the connection once it closes', async () => {
    const port = await serve(false, manners['closes its connection immediately'] as (socket: Socket) => void)
    const { body, readBytes } = endless()
    await upload(port, false, body)
    const bytes = readBytes()
    await eventually('the connection is closed', () => sockets.size === 0)
    expect(readBytes()).to.be.below(bytes + (1 << 20))
    body.destroy()
  })

  for (const isSecure of [false, true])
    it(`is missed if the server sends none, ${isSecure ? 'with' : 'without'} TLS`, async () => {
      const port = await serve(isSecure, socket => void setTimeout(() => socket.destroy(), 100))
      const { body } = endless()
      expect(await upload(port, isSecure, body).catch(errorMessage)).to.equal('EOF')
      body.destroy()
    })
})
