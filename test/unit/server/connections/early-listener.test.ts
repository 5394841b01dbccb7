import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { listenEarly } from '../../../../src/server/connections/early-listener.ts'
import { eventually } from '../../../support/waiting.ts'

describe('holdPort', () => {
  const sockets: Socket[] = []
  const client = (port: number): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    return socket
  }
  /** Resolves with whether the connection was reset. */
  const closed = (socket: Socket): Promise<boolean> => new Promise(resolve => socket.once('close', resolve))
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  it('keeps connections with their bytes until they are taken', async () => {
    const port = await listenEarly('127.0.0.1', 0)
    const early = client(port.port)
    early.write('early')
    await once(early, 'connect')
    const taken: string[] = []
    port.open(socket => {
      sockets.push(socket)
      socket.on('data', data => taken.push(`${data}`)).resume()
    })
    client(port.port).write('late')
    await eventually('both are read', () => taken.length === 2)
    expect(taken.toSorted()).to.deep.equal(['early', 'late'])
    port.close()
  })

  it('closes waiting connections when it is closed, and forgets those that have disconnected', async () => {
    const port = await listenEarly('127.0.0.1', 0)
    const [leaving, waiting] = [client(port.port), client(port.port)]
    await Promise.all([once(leaving, 'connect'), once(waiting, 'connect')])
    leaving.resetAndDestroy()
    port.close()
    waiting.resume()
    await closed(waiting)
    expect(await closed(client(port.port))).to.equal(true)
  })

  it('rejects if the port is in use', async () => {
    const port = await listenEarly('127.0.0.1', 0)
    const refused = await listenEarly('127.0.0.1', port.port).catch((error: NodeJS.ErrnoException) => error.code)
    expect(refused).to.equal('EADDRINUSE')
    port.close()
  })
})
