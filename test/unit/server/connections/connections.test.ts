import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { CONNECTION_LIMITS, Connections } from '../../../../src/server/connections/connections.ts'
import { HeldTime } from '../../../support/held-time.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const CHUNK = Buffer.alloc(64 * 1024)

/** An endless response, at the pace of its reader. */
function writeOn(res: ServerResponse): void {
  while (res.write(CHUNK));
  res.once('drain', () => writeOn(res))
}

describe('Connections', () => {
  let server: Server
  let connections: Connections
  const clients: Socket[] = []
  /** The server's ends of connections in order, and the requests on them. */
  const accepted: Socket[] = []
  let asked = 0
  let time: HeldTime

  async function listen(limits: Partial<typeof CONNECTION_LIMITS>): Promise<void> {
    connections = new Connections({ ...CONNECTION_LIMITS, ...limits })
    server = createServer({ maxHeaderSize: 1 << 20 }, (req, res) => {
      asked++
      if (req.url === '/long') writeOn(res)
      else if (req.url === '/large') res.end(Buffer.alloc(25 << 20))
      else if (req.url !== '/never') res.end('ok')
    })
    server.on('connection', (socket: Socket) => {
      accepted.push(socket)
      connections.add(socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => {
    time.release()
    accepted.length = 0
    for (const client of clients.splice(0)) client.destroy()
    connections.destroy()
    server.close()
  })

  /** `path` '': no request is sent. Only the beginning of the response is read. */
  async function open(path: string): Promise<Socket> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    clients.push(client)
    await once(client, 'connect')
    await eventually('it is accepted', () => accepted.length === clients.length)
    const before = asked
    if (path !== '') client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    if (path !== '' && accepted.at(-1)?.destroyed === false) await eventually('its request has come', () => asked > before)
    await still()
    return client
  }
  /** Resolves when nothing moves any more: the kernel has accepted what it accepts without a reader. */
  async function still(): Promise<void> {
    const moved = (): number => accepted.reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten - socket.writableLength, 0)
    for (let before = -1; before !== moved(); ) {
      before = moved()
      await turns(50)
    }
  }
  /** Returns which connections are open, once those that should be closed are. */
  async function openOf(these: readonly Socket[], wanted: readonly boolean[]): Promise<boolean[]> {
    const are = (): boolean[] => these.map(client => !client.destroyed && !client.readableEnded)
    for (const client of these) client.resume()
    await eventually('others are closed', () => are().every((isOpen, i) => !isOpen || wanted[i]))
    await still()
    return are()
  }
  const look = async (seconds: number): Promise<void> => {
    time.pass(seconds * 1000)
    await still()
  }

  it('closes idle connections for new ones beyond the limit', async () => {
    await listen({ connections: 3 })
    const [idle, busy, silent] = [await open('/ok'), await open('/never'), await open('')]
    await look(3)
    const next = await open('/ok')
    const wanted = [false, true, false, true]
    expect(await openOf([idle, busy, silent, next], wanted)).to.deep.equal(wanted)
  })

  it('closes new connections while all others are busy', async () => {
    await listen({ connections: 2 })
    const busy = [await open('/never'), await open('/never')]
    await look(30)
    const next = await open('/ok')
    expect(await openOf([...busy, next], [true, true, false])).to.deep.equal([true, true, false])
  })

  it('closes connections whose client does not read for new ones beyond the limit', async () => {
    await listen({ connections: 1 })
    const stalled = await open('/large')
    stalled.pause()
    await look(3)
    const next = await open('/ok')
    expect([connections.size, ...(await openOf([next], [true]))]).to.deep.equal([1, true])
  })

  for (const [path, limit] of [
    ['/large', 60],
    ['/long', 900],
  ] as const)
    it(`closes a connection after ${limit} s in which nothing of a response is read: ${path}`, async () => {
      await listen({})
      const client = await open(path)
      client.pause()
      await look(limit)
      expect(connections.size).to.equal(1)
      await look(2)
      await eventually('it is closed', () => connections.size === 0)
    })

  it('keeps a connection open while its client reads slowly', async () => {
    await listen({})
    const client = await open('/long')
    client.pause()
    for (let n = 0; n < 3; n++) {
      await look(800)
      const had = client.bytesRead
      client.resume()
      while (client.bytesRead < had + (2 << 20) && !client.destroyed) await once(client, 'data')
      client.pause()
      await still()
    }
    expect(connections.size).to.equal(1)
  })

  it('closes connections if incomplete heads hold too many bytes', async () => {
    await listen({ heldBytes: 256 * 1024 })
    const clients = [await open('/ok'), await open('/ok'), await open('/ok')]
    for (const client of clients) client.write(`GET /ok HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(100_000)}`)
    await eventually('all has come', () => accepted.every(socket => socket.bytesRead > 100_000))
    await look(3)
    await eventually('one is left', () => connections.size === 1)
    await still()
    expect(connections.size).to.equal(1)
  })

  it('closes the connections without progress for the longest time if all hold too many bytes', async () => {
    await listen({ heldBytes: 50 << 20 })
    const old = [await open('/large'), await open('/large')]
    for (const client of old) client.pause()
    await look(2)
    const young = [await open('/large'), await open('/ok')]
    for (const client of young) client.pause()
    await look(1)
    expect(connections.size).to.be.within(2, 3)
    expect(await openOf([young[1] as Socket], [true])).to.deep.equal([true])
  })
})
