import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { splice } from '../../../src/lib/splice.ts'

describe('splice', () => {
  let server: Server
  before(async () => {
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())

  /** Both ends of one connection. */
  async function pair(): Promise<[Socket, Socket]> {
    const near = connect({ port: (server.address() as { port: number }).port, host: '127.0.0.1', allowHalfOpen: true })
    const [far] = (await once(server, 'connection')) as [Socket]
    for (const socket of [near, far]) socket.on('error', () => {})
    return [near, far]
  }

  async function joined() {
    const [client, clientSide] = await pair()
    const [backend, backendSide] = await pair()
    const controller = new AbortController()
    return { client, backend, controller, done: splice(clientSide, backendSide, controller.signal) }
  }

  it('passes bytes both ways', async () => {
    const { client, backend, done } = await joined()
    client.write('one')
    expect(String((await once(backend, 'data'))[0])).to.equal('one')
    backend.write('two')
    expect(String((await once(client, 'data'))[0])).to.equal('two')
    client.end()
    backend.end()
    await done
  })

  it('passes on pending bytes of one side after the other has ended', async () => {
    const { client, backend, done } = await joined()
    backend.resume().once('end', () => backend.end('x'.repeat(1 << 20)))
    client.end('ask')
    expect((await text(client)).length).to.equal(1 << 20)
    await done
  })

  for (const who of ['client', 'backend'] as const) {
    it(`disconnects from the other when the ${who} fails`, async () => {
      const ends = await joined()
      const other = who === 'client' ? ends.backend : ends.client
      const left = once(other.resume(), 'end')
      ends[who].resetAndDestroy()
      await left
      other.end()
      await ends.done
    })
  }

  it('ends when its signal aborts, or if it was aborted before', async () => {
    const { client, backend, controller, done } = await joined()
    controller.abort()
    await done
    client.destroy()
    backend.destroy()
    const [one, other] = [await pair(), await pair()]
    await splice(one[1], other[1], AbortSignal.abort())
    for (const socket of [one[0], other[0]]) socket.destroy()
  })

  it('ends if one side was closed before', async () => {
    const [one, other] = [await pair(), await pair()]
    one[1].destroy()
    await once(one[1], 'close')
    const done = splice(one[1], other[1], new AbortController().signal)
    other[0].resume().once('end', () => other[0].end())
    await done
    one[0].destroy()
  })
})
