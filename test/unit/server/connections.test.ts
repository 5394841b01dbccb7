import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { steadyClock } from '../../../src/lib/clock.ts'
import { CONNECTION_LIMITS, Connections } from '../../../src/server/connections.ts'

const CHUNK = Buffer.alloc(64 * 1024)

/** An answer without end, at the pace of who reads it. */
function writeOn(res: ServerResponse): void {
  while (res.write(CHUNK));
  res.once('drain', () => writeOn(res))
}

describe('the connections of a port', () => {
  let server: Server
  let connections: Connections
  const clients: Socket[] = []
  /** By when the connections are looked at. */
  let now = 0

  async function listen(limits: Partial<typeof CONNECTION_LIMITS>): Promise<void> {
    connections = new Connections({ ...CONNECTION_LIMITS, ...limits })
    server = createServer({ maxHeaderSize: 1 << 20 }, (req, res) => {
      if (req.url === '/long') writeOn(res)
      else if (req.url === '/large') res.end(Buffer.alloc(25 << 20))
      else if (req.url !== '/never') res.end('ok')
    })
    server.on('connection', (socket: Socket) => connections.add(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    now = steadyClock.now()
  }
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy()
    connections.destroy()
    server.close()
  })

  /** `path` '': nothing is asked. The answer is not read beyond its beginning. */
  async function open(path: string): Promise<Socket> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    clients.push(client)
    await once(client, 'connect')
    if (path !== '') client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await sleep(10)
    return client
  }
  const isOpen = async (client: Socket): Promise<boolean> => {
    client.resume()
    await sleep(30)
    return !client.destroyed && !client.readableEnded
  }
  const look = async (seconds: number): Promise<void> => {
    for (let n = 0; n < seconds; n++) {
      now += 1000
      connections.look(now)
    }
    await sleep(10)
  }

  it('make room for others where they do nothing', async () => {
    await listen({ connections: 3 })
    const [idle, busy, silent] = [await open('/ok'), await open('/never'), await open('')]
    await look(3)
    const next = await open('/ok')
    expect(await Promise.all([idle, busy, silent, next].map(isOpen))).to.deep.equal([false, true, false, true])
  })

  it('keep others out while all of them are busy', async () => {
    await listen({ connections: 2 })
    const busy = [await open('/never'), await open('/never')]
    await look(30)
    const next = await open('/ok')
    expect(await Promise.all([...busy, next].map(isOpen))).to.deep.equal([true, true, false])
  })

  it('make room for others where they do not read', async () => {
    await listen({ connections: 1 })
    const stalled = await open('/large')
    stalled.pause()
    await look(3)
    const next = await open('/ok')
    expect([connections.size, await isOpen(next)]).to.deep.equal([1, true])
  })

  for (const [path, limit] of [
    ['/large', 60],
    ['/long', 900],
  ] as const)
    it(`are closed when nothing of an answer is read for ${limit} s: ${path}`, async () => {
      await listen({})
      const client = await open(path)
      client.pause()
      await look(limit)
      expect(connections.size).to.equal(1)
      await look(2)
      expect(connections.size).to.equal(0)
    })

  it('stay open however slowly they are read', async () => {
    await listen({})
    const client = await open('/long')
    client.pause()
    for (let n = 0; n < 3; n++) {
      await look(800)
      const had = client.bytesRead
      client.resume()
      while (client.bytesRead < had + (2 << 20) && !client.destroyed) await once(client, 'data')
      client.pause()
      await sleep(10)
    }
    expect(connections.size).to.equal(1)
  })

  it('lose some when heads that have not ended hold too much', async () => {
    await listen({ heldBytes: 256 * 1024 })
    const clients = [await open('/ok'), await open('/ok'), await open('/ok')]
    for (const client of clients) client.write(`GET /ok HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(100_000)}`)
    await sleep(100)
    await look(3)
    expect(connections.size).to.equal(1)
  })

  it('lose those that have stood still for longest when all hold too much', async () => {
    await listen({ heldBytes: 50 << 20 })
    const old = [await open('/large'), await open('/large')]
    for (const client of old) client.pause()
    await look(2)
    const young = [await open('/large'), await open('/ok')]
    for (const client of young) client.pause()
    await look(1)
    expect(connections.size).to.be.within(2, 3)
    expect(await isOpen(young[1] as Socket)).to.equal(true)
  })
})
