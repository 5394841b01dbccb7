import { expect } from 'chai'
import { StreamMetrics, streamTranslation } from '../../../../src/endpoints/connect/stream-translation.ts'
import { parseGates } from '../../../../src/lifecycle/gates.ts'
import { connectWorld, speak, type World } from '../../../support/connect-world.ts'
import { type KubeletStream, SpdyKubelet } from '../../../support/spdy-kubelet.ts'
import { eventually, turns } from '../../../support/waiting.ts'
import { WebSocketClient } from '../../../support/web-socket-client.ts'

const pods = '/api/v1/namespaces/ns/pods'
const HANDSHAKE = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: v5.channel.k8s.io']
const CLOSE_STDIN = '\xff\0'

const agreement = (protocol: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${protocol === '' ? '' : `X-Stream-Protocol-Version: ${protocol}\r\n`}\r\n`

const internalError = (message: string) => ({
  metadata: {},
  status: 'Failure',
  message: `Internal error occurred: ${message}`,
  reason: 'InternalError',
  details: { causes: [{ message }] },
  code: 500,
})

describe('commands of clients with v5.channel.k8s.io', () => {
  let world: World
  let metrics: StreamMetrics
  let kubelet: SpdyKubelet | undefined
  /** Resolves once all streams are open. */
  let act: (kubelet: SpdyKubelet, stream: (type: string) => KubeletStream) => void
  let protocol: string
  before(async () => {
    metrics = new StreamMetrics()
    world = await connectWorld({ translates: true, tunnels: true, metrics })
  })
  after(() => world.close())
  beforeEach(() => {
    kubelet = undefined
    protocol = 'v4.channel.k8s.io'
    act = () => {}
    world.kubelet.upgradeAct = (req, socket) => {
      socket.write(agreement(protocol))
      const speaks = new SpdyKubelet(socket)
      kubelet = speaks
      const { searchParams } = new URL(req.url ?? '', 'https://kubelet')
      const tty = searchParams.has('tty')
      const wanted =
        1 +
        ['input', 'output', ...(tty ? [] : ['error'])].filter(each => searchParams.has(each)).length +
        (tty && protocol !== 'v2.channel.k8s.io' ? 1 : 0)
      let begun = false
      speaks.changed = () => {
        if (begun || speaks.streams.size < wanted) return
        begun = true
        act(speaks, streamOf)
      }
    }
  })

  const streamOf = (type: string): KubeletStream => {
    const found = kubelet?.streams.get(type)
    if (found === undefined) throw new Error(`no stream ${type}`)
    return found
  }
  const ask = (path: string, { method = 'GET', more = HANDSHAKE } = {}): string =>
    [`${method} ${pods}/${path} HTTP/1.1`, 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', ...more, '', ''].join('\r\n')
  const start = async (path: string, over: 'plain' | 'tls' = 'plain'): Promise<WebSocketClient> =>
    new WebSocketClient(await speak(world.server, over, ask(path)))
  /** The result that the client receives on the error channel. */
  const ending = async (client: WebSocketClient): Promise<unknown> => {
    await eventually('the client is told', () => client.closed)
    client.conversation.socket.destroy()
    expect(client.messages.at(-1)).to.deep.equal({ opcode: 8, text: '\x03\xe8' })
    return JSON.parse(client.channel(3))
  }
  const counted = (code: string): number =>
    [...(metrics.families()[0]?.samples() ?? [])].find(({ labels }) => labels.code === code)?.value ?? 0

  for (const over of ['plain', 'tls'] as const)
    it(`copy the streams of a command, over ${over}`, async () => {
      const before = counted('200')
      const client = await start('one/exec?command=cat&stdin=1&stdout=1&stderr=1', over)
      await eventually('the streams are there', () => kubelet?.streams.size === 4)
      expect(client.head).to.match(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
      expect(client.head).to.include('Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n')
      expect(client.messages, 'it is connected').to.deep.equal([{ opcode: 2, text: '\x01' }])
      expect([...(kubelet?.streams.values() ?? [])].map(({ id, type }) => `${id} ${type}`)).to.deep.equal([
        '1 error',
        '3 stdin',
        '5 stdout',
        '7 stderr',
      ])
      client.send('\0one ')
      client.send('\0tw', 2, false)
      client.send('o', 0)
      client.send('\0')
      client.send('\x04{"Width":1,"Height":2}')
      client.send('\x01nobody reads this')
      client.send(CLOSE_STDIN)
      await eventually('the input has ended', () => streamOf('stdin').ended)
      expect(streamOf('stdin').heard.toString()).to.equal('one two')
      streamOf('stdout').send('out')
      streamOf('stderr').send('err')
      await eventually('the output is there', () => client.channel(1) === 'out' && client.channel(2) === 'err')
      streamOf('stdout').end()
      streamOf('stderr').end()
      streamOf('error').send('{"metadata":{},"status":"Success"}', true)
      expect(await ending(client)).to.deep.equal({ metadata: {}, status: 'Success' })
      await eventually('the kubelet is left', () => kubelet?.leftBy === 'go away')
      expect(counted('200')).to.equal(before + 1)
    })

  it("request SPDY from the kubelet, without the client's own headers", async () => {
    const client = await start('one/exec?command=ls&stdout=1')
    await eventually('it is asked', () => kubelet !== undefined)
    const { method, url, rawHeaders } = world.kubelet.last
    expect([method, url]).to.deep.equal(['POST', '/exec/ns/one/c?command=ls&output=1'])
    const versions = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']
    expect(rawHeaders.slice(2)).to.deep.equal(
      [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'SPDY/3.1'],
        ['Content-Length', '0'],
        ...versions.map(each => ['X-Stream-Protocol-Version', each]),
      ].flat(),
    )
    client.conversation.socket.destroy()
    await eventually('the kubelet is left', () => world.kubelet.sockets.size === 0)
  })

  it('send terminal sizes, without a stderr stream', async () => {
    const client = await start('two/attach?container=a&stdin=1&stdout=1&stderr=1&tty=1')
    await eventually('the streams are there', () => kubelet?.streams.size === 4)
    expect([...(kubelet?.streams.keys() ?? [])]).to.deep.equal(['error', 'stdin', 'stdout', 'resize'])
    client.send('\x04{"Width":80,"Height":24}\n')
    await eventually('it is told', () => streamOf('resize').heard.toString() === '{"Width":80,"Height":24}\n')
    streamOf('stdout').reset()
    streamOf('error').reset()
    expect(await ending(client)).to.deep.equal({ metadata: {}, status: 'Success' })
  })

  it('buffer early input until the kubelet reads', async () => {
    const conversation = await speak(world.server, 'plain', ask('one/exec?stdin=1'))
    const client = new WebSocketClient(conversation)
    client.send('\0early')
    client.send(CLOSE_STDIN)
    await eventually('it has come', () => kubelet?.streams.get('stdin')?.ended === true)
    expect(streamOf('stdin').heard.toString()).to.equal('early')
    conversation.socket.destroy()
  })

  const exitCode = (message: string, details = `"details":{"causes":[{"reason":"ExitCode","message":"${message}"}]}`): string =>
    `{"status":"Failure","reason":"NonZeroExitCode",${details}}`
  const endings: [name: string, protocol: string, said: string, told: object][] = [
    [
      'an exit code',
      'v4.channel.k8s.io',
      exitCode('7'),
      {
        metadata: {},
        status: 'Failure',
        message: 'command terminated with non-zero exit code: command terminated with exit code 7',
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: '7' }] },
      },
    ],
    [
      'an invalid exit code',
      'v5.channel.k8s.io',
      exitCode('256'),
      internalError('error stream protocol error: invalid exit code value "256"'),
    ],
    [
      'no exit code',
      'v4.channel.k8s.io',
      exitCode('', '"details":{}'),
      internalError('error stream protocol error: no ExitCode cause given'),
    ],
    ['no details', 'v4.channel.k8s.io', exitCode('', '"code":1'), internalError('error stream protocol error: details must be set')],
    ['a failure', 'v4.channel.k8s.io', '{"status":"Failure","message":"no such <file>"}', internalError('no such <file>')],
    ['no status', 'v4.channel.k8s.io', '{}', internalError('error stream protocol error: unknown error')],
    [
      'no JSON',
      'v4.channel.k8s.io',
      'oops',
      internalError('error stream protocol error: invalid character \'o\' looking for beginning of value in "oops"'),
    ],
    ['nothing', 'v4.channel.k8s.io', '', { metadata: {}, status: 'Success' }],
    ['a text, as before version 4', 'v2.channel.k8s.io', 'exit status 3', internalError('error executing remote command: exit status 3')],
    ['a text, as in the first version', '', 'exit status 3', internalError('Error executing remote command: exit status 3')],
  ]
  for (const [name, version, said, told] of endings)
    it(`report the result of a command: ${name}`, async () => {
      protocol = version
      act = (_kubelet, stream) => {
        stream('error').send(said, true)
        stream('stdout').end()
      }
      expect(await ending(await start('one/exec?stdout=1'))).to.deep.equal(told)
    })

  it('encode the result as Go does', async () => {
    act = (_kubelet, stream) => {
      stream('error').send('{"status":"Failure","message":"a < b & c"}', true)
      stream('stdout').end()
    }
    const client = await start('one/exec?stdout=1')
    await ending(client)
    expect(client.channel(3)).to.include('"message":"Internal error occurred: a \\u003c b \\u0026 c"')
  })

  it('report an unknown result if the kubelet disconnects', async () => {
    act = (_kubelet, stream) => stream('stdout').send('begun')
    const client = await start('one/exec?stdout=1')
    await eventually('the command runs', () => client.channel(1) === 'begun')
    kubelet?.socket.end()
    expect(await ending(client)).to.deep.equal(internalError('error reading from error stream: unexpected EOF'))
  })

  it('succeed if the kubelet closes the connection in order', async () => {
    act = kubelet => kubelet.goAway()
    expect(await ending(await start('one/exec?stdout=1'))).to.deep.equal({ metadata: {}, status: 'Success' })
  })

  it('report a result that comes with the reply to the last stream, and the end of the connection', async () => {
    world.kubelet.upgradeAct = (_req, socket) => {
      socket.write(agreement(protocol))
      const speaks = new SpdyKubelet(socket)
      kubelet = speaks
      speaks.replies = type => {
        if (type === 'stdout') socket.cork()
        return true
      }
      speaks.changed = () => {
        if (speaks.streams.size < 2) return
        streamOf('error').send('{"status":"Failure","message":"no command"}', true)
        streamOf('stdout').end()
        speaks.goAway()
        socket.uncork()
      }
    }
    expect(await ending(await start('one/exec?stdout=1'))).to.deep.equal(internalError('no command'))
  })

  it('report that the kubelet refused a stream', async () => {
    world.kubelet.upgradeAct = (_req, socket) => {
      socket.write(agreement(protocol))
      new SpdyKubelet(socket).replies = type => type !== 'stdout'
    }
    expect(await ending(await start('one/exec?stdout=1'))).to.deep.equal(internalError('Stream reset'))
  })

  const status = {
    metadata: {},
    status: 'Failure',
    message: 'no way',
    reason: 'Forbidden',
    details: { name: 'x', kind: 'pods' },
    code: 403,
  }
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...status })
  const refusals: [name: string, answer: string, told: (url: string) => object][] = [
    [
      'a text',
      'HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot here\n',
      () => internalError('unable to upgrade connection: not here'),
    ],
    ['a Status', `HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => status],
    [
      'a redirect',
      'HTTP/1.1 302 Found\r\nLocation: /there?x=1\r\nContent-Length: 0\r\n\r\n',
      () => internalError('error sending request: Post "/there?x=1": redirect not allowed'),
    ],
    ['no refusal', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', () => internalError('unable to upgrade connection: ok')],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      () => internalError('unable to upgrade connection: '),
    ],
    [
      'an unknown version',
      agreement('v9.channel.k8s.io'),
      () => internalError('unable to upgrade connection: unknown protocol "v9.channel.k8s.io"'),
    ],
    ['nothing', '', url => internalError(`error sending request: Post ${JSON.stringify(url)}: unexpected EOF`)],
  ]
  for (const [name, answer, told] of refusals)
    it(`report a refusal of the kubelet to the connected client: ${name}`, async () => {
      const before = counted('500') + counted('403')
      world.kubelet.upgradeAct = (_req, socket) => socket.end(answer)
      const url = `https://127.0.0.1:${world.kubelet.port}/exec/ns/one/c?output=1`
      expect(await ending(await start('one/exec?stdout=1'))).to.deep.equal(told(url))
      expect(counted('500') + counted('403')).to.equal(before + 1)
    })

  it('report that the kubelet cannot be reached', async () => {
    const told = internalError(
      `error sending request: Post "https://127.0.0.1:${world.deadPort}/exec/ns/lost/c?output=1": dial tcp 127.0.0.1:${world.deadPort}: connect: connection refused`,
    )
    expect(await ending(await start('lost/exec?stdout=1'))).to.deep.equal(told)
  })

  const handshakes: [name: string, request: string, answer: string][] = [
    ['without a key', ask('one/exec', { more: HANDSHAKE.slice(1) }), 'HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response'],
    [
      'of another version',
      ask('one/exec', { more: [HANDSHAKE[0] as string, 'Sec-WebSocket-Version: 12', HANDSHAKE[2] as string] }),
      'HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version',
    ],
    ['by POST', ask('one/exec', { method: 'POST' }), 'HTTP/1.1 405 Method Not Allowed\r\n\r\nbad method'],
  ]
  for (const [name, request, answer] of handshakes)
    it(`refuse a handshake ${name}`, async () => {
      const before = counted('400')
      expect(await (await speak(world.server, 'plain', request)).end()).to.equal(answer)
      expect(counted('400')).to.equal(before + 1)
    })

  const leavings: [name: string, leave: (client: WebSocketClient) => void][] = [
    ['closes', client => client.send('\x03\xe8', 8)],
    ['goes', client => client.conversation.socket.destroy()],
    ['breaks the protocol', client => client.conversation.socket.write(Buffer.from([0x82, 1, 0]))],
    ['closes an unknown channel', client => client.send('\xff\x09')],
  ]
  for (const [name, leave] of leavings)
    it(`disconnect from the kubelet when the client ${name}`, async () => {
      const client = await start('one/exec?stdin=1&stdout=1')
      await eventually('the streams are there', () => kubelet?.streams.size === 3)
      leave(client)
      await eventually('the kubelet is left', () => kubelet?.leftBy === 'go away' && streamOf('stdin').ended)
      await eventually('the client is closed', () => client.conversation.ended)
    })

  it('disconnect from a kubelet that has not responded when the client disconnects', async () => {
    let asked = false
    world.kubelet.upgradeAct = (_req, socket) => {
      asked = true
      socket.on('error', () => {}).resume()
    }
    const client = await start('one/exec?stdout=1')
    await eventually('it is asked', () => asked)
    client.conversation.socket.destroy()
    await eventually('the kubelet is left', () => world.kubelet.sockets.size === 0)
  })

  it('pause the client while the kubelet does not read, and continue', async () => {
    const client = await start('one/exec?stdin=1', 'tls')
    await eventually('the streams are there', () => kubelet?.streams.size === 2)
    kubelet?.socket.pause()
    const message = Buffer.alloc(1 << 20)
    const { socket } = client.conversation
    for (let i = 0; i < 16; i++) client.send(message)
    await turns(100)
    expect(socket.writableLength).to.be.above(0)
    kubelet?.socket.resume()
    // The first byte of each message is the channel.
    await eventually('all has come', () => streamOf('stdin').heardBytes === 16 * ((1 << 20) - 1))
    socket.destroy()
  })

  it('pause the kubelet while the client does not read, and continue', async () => {
    const client = await start('one/exec?stdout=1', 'tls')
    await eventually('the streams are there', () => kubelet?.streams.size === 2)
    client.conversation.socket.pause()
    for (let i = 0; i < 16; i++) streamOf('stdout').send(Buffer.alloc(1 << 20, 120))
    await turns(100)
    expect(kubelet?.socket.writableLength).to.be.above(0)
    client.conversation.socket.resume()
    await eventually('all has come', () => client.conversation.heard.length > 16 << 20 && client.channel(1).length === 16 << 20)
    client.conversation.socket.destroy()
  })

  it('forward older subprotocols unchanged', async () => {
    world.kubelet.upgradeAct = (_req, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    const more = [...HANDSHAKE.slice(0, 2), 'Sec-WebSocket-Protocol: v4.channel.k8s.io']
    expect(await (await speak(world.server, 'plain', ask('one/exec', { more }))).end()).to.match(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(world.kubelet.last.headers).to.include({ upgrade: 'websocket', 'sec-websocket-protocol': 'v4.channel.k8s.io' })
  })

  it('are forwarded unchanged if the gates are off', async () => {
    const off = new Map([
      ['TranslateStreamCloseWebsocketRequests', false],
      ['PortForwardWebsockets', false],
    ])
    const own = await connectWorld(streamTranslation(parseGates('1.33', off)))
    own.kubelet.upgradeAct = (_req, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    for (const [what, protocol] of [
      ['exec', 'v5.channel.k8s.io'],
      ['portforward', 'SPDY/3.1+portforward.k8s.io'],
    ]) {
      const more = [...HANDSHAKE.slice(0, 2), `Sec-WebSocket-Protocol: ${protocol}`]
      expect(await (await speak(own.server, 'plain', ask(`one/${what}`, { more }))).end()).to.match(/^HTTP\/1\.1 403 Forbidden\r\n/)
      expect(own.kubelet.last.headers).to.include({ upgrade: 'websocket', 'sec-websocket-protocol': protocol })
    }
    await own.close()
  })

  it('are translated from 1.33 on', () => expect(streamTranslation(parseGates('1.33'))).to.include({ translates: true, tunnels: true }))

  it('end with the server', async () => {
    const own = await connectWorld({ translates: true, tunnels: true, metrics })
    own.kubelet.upgradeAct = world.kubelet.upgradeAct
    const client = await speak(own.server, 'tls', ask('one/exec?stdout=1'))
    await eventually('the streams are there', () => kubelet?.streams.size === 2)
    await own.close()
    await client.end()
  })
})
