import type { Duplex } from 'node:stream'
import { expect } from 'chai'
import { StreamMetrics } from '../../../../src/endpoints/connect/stream-translation.ts'
import { connectWorld, speak, type World } from '../../../support/connect-world.ts'
import { eventually, turns } from '../../../support/waiting.ts'
import { WebSocketClient } from '../../../support/web-socket-client.ts'

const path = '/api/v1/namespaces/ns/pods/one/portforward'
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
const VERSION = 'Sec-WebSocket-Version: 13'
const PROTOCOL = 'Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io'
const HANDSHAKE = [KEY, VERSION, PROTOCOL]

const agreement = (upgrade = 'SPDY/3.1'): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nX-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n`
const ask = ({ method = 'GET', more = HANDSHAKE } = {}): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', ...more, '', ''].join('\r\n')

describe('port forwards with SPDY over a WebSocket', () => {
  let world: World
  let metrics: StreamMetrics
  let kubelet: Duplex | undefined
  let heard: Buffer[]
  const heardText = (): string => Buffer.concat(heard).toString('latin1')
  before(async () => {
    metrics = new StreamMetrics()
    world = await connectWorld({ translates: true, tunnels: true, metrics })
  })
  after(() => world.close())
  beforeEach(() => {
    heard = []
    kubelet = undefined
    world.kubelet.upgradeAct = (_req, socket) => {
      kubelet = socket
      socket.write(`${agreement()}greeting`)
      socket
        .on('data', data => heard.push(data))
        .on('error', () => {})
        .on('end', () => socket.end())
    }
  })
  const counted = (code: string): number =>
    [...(metrics.families()[1]?.samples() ?? [])].find(({ labels }) => labels.code === code)?.value ?? 0
  const start = async (over: 'plain' | 'tls' = 'plain', request = ask()): Promise<WebSocketClient> =>
    new WebSocketClient(await speak(world.server, over, request))
  const bytesOf = (client: WebSocketClient): string =>
    client.messages
      .filter(({ opcode }) => opcode === 2)
      .map(({ text }) => text)
      .join('')

  for (const over of ['plain', 'tls'] as const)
    it(`unwrap and wrap bytes, over ${over}`, async () => {
      const before = counted('101')
      const client = await start(over)
      await eventually('the kubelet is heard', () => bytesOf(client) === 'greeting')
      expect(client.head).to.match(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
      expect(client.head).to.include('Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io\r\n')
      client.send('one ')
      client.send('tw', 2, false)
      client.send('o', 0)
      client.send('hello', 9)
      await eventually('the client is heard', () => heardText() === 'one two')
      kubelet?.write('answer')
      await eventually('the kubelet is heard', () => bytesOf(client) === 'greetinganswer')
      expect(client.messages.filter(({ opcode }) => opcode === 10)).to.deep.equal([{ opcode: 10, text: 'hello' }])
      kubelet?.end('bye')
      await eventually('the client is closed', () => client.closed)
      expect(bytesOf(client)).to.equal('greetinganswerbye')
      expect(client.messages.at(-1)).to.deep.equal({ opcode: 8, text: '\x03\xe8' })
      expect(counted('101')).to.equal(before + 1)
      client.conversation.socket.destroy()
    })

  it('send the kubelet the request that the client would send over SPDY', async () => {
    const more = [KEY, VERSION, `${PROTOCOL}, SPDY/3.1+other.k8s.io`, 'Authorization: Bearer x', 'X-Own: y', 'Sec-WebSocket-Extensions: z']
    const client = await start('tls', ask({ more }))
    await eventually('it is asked', () => kubelet !== undefined)
    const { method, url, rawHeaders } = world.kubelet.last
    expect([method, url]).to.deep.equal(['POST', '/portForward/ns/one'])
    expect(rawHeaders).to.deep.equal(
      [
        ['Host', 'localhost'],
        ['Connection', 'Upgrade'],
        ['X-Own', 'y'],
        ['X-Forwarded-For', '127.0.0.1'],
        ['Upgrade', 'SPDY/3.1'],
        ['Content-Length', '0'],
        ['X-Stream-Protocol-Version', 'portforward.k8s.io'],
        ['X-Stream-Protocol-Version', 'other.k8s.io'],
      ].flat(),
    )
    client.conversation.socket.destroy()
  })

  const leavings: [name: string, leave: (client: WebSocketClient) => void][] = [
    ['closes', client => client.send('\x03\xe8', 8)],
    ['goes', client => client.conversation.socket.destroy()],
    ['sends a text', client => client.send('text', 1)],
    ['breaks the protocol', client => client.conversation.socket.write(Buffer.from([0x82, 1, 0]))],
  ]
  for (const [name, leave] of leavings)
    it(`disconnect from the kubelet when the client ${name}`, async () => {
      const client = await start()
      await eventually('the kubelet is heard', () => bytesOf(client) === 'greeting')
      client.send('last')
      leave(client)
      await eventually('the kubelet is left', () => kubelet?.readableEnded === true)
      if (name !== 'goes') expect(heardText()).to.equal('last')
      await eventually('the client is closed', () => client.conversation.ended)
    })

  const refusals: [name: string, answer: string, status: number, body: string, code: string][] = [
    ['a refusal', 'HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot here\n', 404, 'not here\n', '404'],
    ['another protocol', agreement('websocket'), 500, 'unable to upgrade: missing upgrade headers in response\n', '500'],
  ]
  for (const [name, answer, status, body, code] of refusals)
    it(`forward ${name}`, async () => {
      const before = counted(code)
      world.kubelet.upgradeAct = (_req, socket) => socket.end(answer)
      const text = await (await speak(world.server, 'plain', ask())).end()
      expect(text).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(text.endsWith(`\r\n\r\n${body}`)).to.equal(true)
      expect(counted(code)).to.equal(before + 1)
    })

  const handshakes: [name: string, request: string, status: string, body: string][] = [
    ['without a key', ask({ more: [VERSION, PROTOCOL] }), '400 Bad Request', 'Bad Request\n'],
    ['with a key of another length', ask({ more: ['Sec-WebSocket-Key: YQ==', VERSION, PROTOCOL] }), '400 Bad Request', 'Bad Request\n'],
    ['of another version', ask({ more: [KEY, 'Sec-WebSocket-Version: 12', PROTOCOL] }), '400 Bad Request', 'Bad Request\n'],
    ['by POST', ask({ method: 'POST' }), '405 Method Not Allowed', 'Method Not Allowed\n'],
  ]
  for (const [name, request, status, body] of handshakes)
    it(`refuse a handshake ${name}`, async () => {
      const text = await (await speak(world.server, 'plain', request)).end()
      expect(text).to.match(new RegExp(`^HTTP/1\\.1 ${status}\r\n`))
      expect(text.toLowerCase()).to.include('sec-websocket-version: 13\r\n')
      expect(text.endsWith(`\r\n\r\n${body}`)).to.equal(true)
      expect(kubelet).to.equal(undefined)
    })

  it('report that the kubelet cannot be reached', async () => {
    const request = ask().replace('/one/', '/lost/')
    expect(await (await speak(world.server, 'plain', request)).end()).to.include(
      `error dialing backend: dial tcp 127.0.0.1:${world.deadPort}: connect: connection refused`,
    )
  })

  it('pause either side while the other does not read, and continue', async () => {
    const client = await start('tls')
    await eventually('the kubelet is heard', () => bytesOf(client) === 'greeting')
    const { socket } = client.conversation
    socket.pause()
    kubelet?.pause()
    const chunk = Buffer.alloc(1 << 20, 120)
    for (let i = 0; i < 16; i++) {
      client.send(chunk)
      kubelet?.write(chunk)
    }
    await turns(100)
    expect(socket.writableLength).to.be.above(0)
    expect(kubelet?.writableLength).to.be.above(0)
    kubelet?.resume()
    socket.resume()
    await eventually(
      'all has come',
      () => heard.reduce((sum, { length }) => sum + length, 0) === 16 << 20 && client.conversation.heard.length > 16 << 20,
    )
    await eventually('whole', () => bytesOf(client).length === (16 << 20) + 'greeting'.length)
    socket.destroy()
  })

  it('forward other WebSockets unchanged', async () => {
    world.kubelet.upgradeAct = (_req, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    const more = [KEY, VERSION, 'Sec-WebSocket-Protocol: portforward.k8s.io']
    expect(await (await speak(world.server, 'plain', ask({ more }))).end()).to.match(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(world.kubelet.last.headers).to.include({ upgrade: 'websocket', 'sec-websocket-protocol': 'portforward.k8s.io' })
  })
})
