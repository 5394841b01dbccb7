import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { boundExchange } from '../../../src/lib/bounded-exchange.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { errorMessage } from '../../../src/lib/error-message.ts'

const STOPPED: Clock = { now: () => 0 }
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

describe('a request to a hostile server', () => {
  let server: Server
  let act: (socket: Socket) => void
  before(async () => {
    server = createServer(socket => socket.on('error', () => {}).once('data', () => act(socket))).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())

  const ask = (clock: Clock = STOPPED): ClientRequest => {
    const asked = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false })
    boundExchange(asked, clock)
    return asked.end()
  }
  /** Resolves with the body, or with the error that ended it. */
  const bodyOf = async (clock?: Clock): Promise<string> => {
    const asked = ask(clock)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    asked.on('error', () => {})
    const parts: Buffer[] = []
    try {
      for await (const part of response) parts.push(part as Buffer)
      return Buffer.concat(parts).toString('latin1')
    } catch (error) {
      return errorMessage(error)
    }
  }
  /** Sends bytes repeatedly until the connection is closed. */
  const endlessly = (socket: Socket, bytes: string): void => {
    const block = bytes.repeat(1000)
    const more = (): void => {
      if (socket.destroyed) return
      if (socket.write(block)) setImmediate(more)
      else socket.once('drain', more)
    }
    more()
  }

  for (const line of ['100 Continue', '102 Processing', '103 Early Hints\r\nLink: </a>'])
    it(`ends after five responses of ${line.slice(0, 3)}`, async () => {
      act = socket => endlessly(socket, `HTTP/1.1 ${line}\r\n\r\n`)
      const [error] = (await once(ask(), 'error')) as [Error]
      expect(error.message).to.equal('net/http: HTTP/1.x transport connection broken: net/http: too many 1xx informational responses')
    })

  it('accepts five informational responses before the final one', async () => {
    act = socket =>
      socket.end(`${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(5)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`)
    expect(await bodyOf()).to.equal('ok')
  })

  it('ends at an endless body of one-byte chunks', async () => {
    act = socket => {
      socket.write(CHUNKED)
      endlessly(socket, '1\r\nx\r\n')
    }
    expect(await bodyOf()).to.equal('chunked encoding contains too much non-data')
  })

  it('fails at a chunk length with endless digits', async () => {
    act = socket => {
      socket.write(CHUNKED)
      endlessly(socket, '0')
    }
    expect(await bodyOf()).to.equal('chunked encoding contains too much non-data')
  })

  it('accepts as many tiny chunks as a body of 64 KiB has bytes', async () => {
    act = socket => socket.end(`${CHUNKED}${'1\r\nx\r\n'.repeat(65_536)}0\r\n\r\n`)
    expect(await bodyOf()).to.equal('x'.repeat(65_536))
  })

  it('accepts any number of chunks of 64 bytes and more', async () => {
    act = socket => socket.end(`${CHUNKED}${`40\r\n${'x'.repeat(64)}\r\n`.repeat(100_000)}0\r\n\r\n`)
    expect(await bodyOf()).to.equal('x'.repeat(6_400_000))
  })

  it('accepts any number of tiny chunks at up to a thousand a second', async () => {
    let now = 0
    const clock: Clock = { now: () => now++ }
    act = socket => socket.end(`${CHUNKED}${'1\r\nx\r\n'.repeat(200_000)}0\r\n\r\n`)
    expect(await bodyOf(clock)).to.equal('x'.repeat(200_000))
  })
})
