import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { TurnBudget } from '../../../../src/protocols/http2/turn-budget.ts'
import { readInTurns } from '../../../../src/server/connections/http1-reading.ts'
import { turns as severalTurns } from '../../../support/waiting.ts'

/** Each piece of 1 KiB is parsed in its own turn, as if very many connections waited. */
class OneRequestATurn extends TurnBudget {
  waits = 0

  override wait(resume: (quota: number) => void): void {
    this.waits++
    setImmediate(resume, 1)
  }
}

/** Longer than a turn should be. */
function spendTurn(): void {
  for (const until = performance.now() + 4; performance.now() < until; );
}

const head = (line: string, ...lines: string[]): string => [`${line} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n')
const FILLER = `x: ${'y'.repeat(500)}`
/** Length of a response that the buffers of a connection cannot hold. */
const LONG = 16 << 20
const LARGE = head('GET /large', `x: ${'y'.repeat(5000)}`)

describe('readInTurns', () => {
  let server: Server
  let turns: OneRequestATurn
  let handle: (req: IncomingMessage, res: ServerResponse) => void
  let client: Socket
  let heard: string
  beforeEach(async () => {
    turns = new OneRequestATurn()
    handle = (_req, res) => void res.end()
    server = createServer((req, res) => handle(req, res))
    const [own] = server.listeners('connection')
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      own?.call(server, socket)
      readInTurns(socket, turns)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = net.connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    heard = ''
    client.setEncoding('latin1').on('data', (text: string) => {
      heard += text
    })
  })
  afterEach(() => {
    client.destroy()
    server.close()
  })

  const answers = (): number => [...heard.matchAll(/HTTP\/1\.1 200/g)].length
  const heardOf = async (count: number): Promise<void> => {
    while (answers() < count) await once(client, 'data')
  }

  it('continues after bodies for which Node paused the socket', async () => {
    // Within one piece, the body fills its buffer, so Node stops reading the connection, and ends, so Node resumes it a
    // moment later.
    handle = (req, res) => void setImmediate(() => req.resume().once('end', () => res.end()))
    for (const [i, size] of [20, 30_000, 20, 60_000, 40_000, 20].entries()) {
      client.write(`${head('POST /', `Content-Length: ${size}`)}${'b'.repeat(size)}`)
      await heardOf(i + 1)
    }
  })

  it('parses many bytes in several turns, without losing any', async () => {
    client.write(LARGE)
    await heardOf(1)
    let inTurn = 0
    let most = 0
    handle = (_req, res) => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0))
      most = Math.max(most, inTurn)
      spendTurn()
      res.end()
    }
    client.write(head('GET /', FILLER).repeat(60))
    await heardOf(61)
    // A piece of 16 KiB holds 29 of them.
    expect(most).to.be.below(31)
    expect(turns.waits).to.be.above(10)
  })

  it('parses few bytes immediately, even if the turn is spent', async () => {
    handle = (_req, res) => {
      spendTurn()
      res.end()
    }
    for (let n = 1; n <= 20; n++) {
      client.write(head('GET /'))
      await heardOf(n)
    }
    expect(turns.waits).to.equal(0)
  })

  it('delivers whole bodies at the pace of their reader', async () => {
    client.write(LARGE)
    await heardOf(1)
    const body = Buffer.alloc(300_000, 'abcdefghij')
    let got = Buffer.alloc(0)
    handle = (req, res) => {
      req.on('data', (chunk: Buffer) => {
        spendTurn()
        got = Buffer.concat([got, chunk])
        req.pause()
        setImmediate(() => req.resume())
      })
      req.once('end', () => res.end())
    }
    client.write(head('POST /', `Content-Length: ${body.length}`))
    client.write(body)
    client.write(head('GET /', 'Connection: close'))
    await heardOf(2)
    expect(got.equals(body)).to.equal(true)
  })

  it('does not resume a socket that Node has paused until the client reads', async () => {
    client.write(LARGE)
    await heardOf(1)
    const due: (() => void)[] = []
    turns.wait = resume => void due.push(() => resume(1))
    const errors: Error[] = []
    server.on('clientError', error => errors.push(error))
    const posted = new Promise<void>(resolve => {
      handle = (req, res) => {
        // A pipelined request, which waits behind the response.
        if (req.method === 'GET') return void res.once('socket', () => res.end())
        client.pause()
        // Resumes the connection before its turn, while more is written than its buffers hold.
        setImmediate(() => {
          res.end(Buffer.alloc(LONG, 'x'))
          req.resume().once('end', () => setImmediate(resolve))
        })
      }
    })
    client.write(`${head('POST /', 'Content-Length: 24000')}${'b'.repeat(24_000)}${head('GET /')}`)
    await posted
    client.write(head('GET /'))
    turns.wait = resume => void setImmediate(resume, 1)
    for (const resume of due) resume()
    await severalTurns()
    client.resume()
    while (heard.length < LONG) await once(client, 'data')
    await heardOf(4)
    expect(errors).to.deep.equal([])
  })

  it('leaves unparsed bytes to an upgraded connection', async () => {
    client.write(LARGE)
    await heardOf(1)
    const after = '0123456789'.repeat(3000)
    const taken = new Promise<string>(resolve => {
      server.on('upgrade', (_req, socket: Socket, first: Buffer) => {
        socket.on('error', () => {}).removeAllListeners('data')
        let text = first.toString()
        socket.on('data', chunk => {
          text += chunk.toString()
          if (text.length >= after.length) resolve(text)
        })
        if (text.length >= after.length) resolve(text)
      })
    })
    handle = (_req, res) => {
      spendTurn()
      res.end()
    }
    client.write(head('GET /') + head('GET /', 'Connection: Upgrade', 'Upgrade: any') + after)
    expect(await taken).to.equal(after)
  })

  it('reads to the end when the client sends no more', async () => {
    client.write(LARGE)
    await heardOf(1)
    handle = (_req, res) => {
      spendTurn()
      res.end()
    }
    client.end(head('GET /', FILLER).repeat(40))
    await once(client, 'close')
    // Node aborts the current request, the last one, when the client has ended.
    expect(answers()).to.be.at.least(40)
  })
})
