import { createServer, request } from 'node:http'
import { expect } from 'chai'
import { connectionPair, InProcessAgent } from '../../../src/lib/in-process-connection.ts'
import { eventually } from '../../support/waiting.ts'

describe('a connection in the process', () => {
  it('ends at both sides when one is destroyed', async () => {
    const [near, far] = connectionPair()
    far.on('error', () => {}).resume()
    near.destroy()
    await eventually('the other side has closed', () => far.destroyed)
  })

  it('delivers everything before an end', async () => {
    const [near, far] = connectionPair()
    near.end('all')
    near.resume()
    await new Promise(resolve => setTimeout(resolve, 5))
    const chunks: string[] = []
    for await (const chunk of far) chunks.push(String(chunk))
    far.end()
    expect(chunks.join('')).to.equal('all')
  })

  it('carries HTTP, and a switch of protocols', async () => {
    const server = createServer((req, res) => res.end(`${req.method} ${req.url}`)).on('upgrade', (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
      socket.pipe(socket)
    })
    const agent = new InProcessAgent(() => {
      const [near, far] = connectionPair()
      server.emit('connection', far)
      return near
    })
    const text = await new Promise<string>((resolve, reject) => {
      request({ host: '192.0.2.1', path: '/a', agent }, response => {
        let all = ''
        response.on('data', data => (all += data)).on('end', () => resolve(all))
      })
        .on('error', reject)
        .end()
    })
    expect(text).to.equal('GET /a')
    const echo = await new Promise<string>((resolve, reject) => {
      request({ host: '192.0.2.1', path: '/b', agent, headers: { Connection: 'Upgrade', Upgrade: 'x' } })
        .on('error', reject)
        .on('upgrade', (_response, socket) => {
          socket.write('hello')
          socket.once('data', data => {
            socket.destroy()
            resolve(String(data))
          })
        })
        .end()
    })
    expect(echo).to.equal('hello')
  })
})
