import type { Duplex } from 'node:stream'
import { expect } from 'chai'
import { StreamMetrics } from '../../src/endpoints/connect/stream-translation.ts'
import { type Conversation, connectWorld, speak, type World } from '../support/connect-world.ts'
import { type Behaviour, HOSTILE_PROTOCOL, HOSTILE_SILENCE } from '../support/hostile-peer.ts'
import { SpdyKubelet } from '../support/spdy-kubelet.ts'
import { mostTurnMs, turnCost } from '../support/turn-cost.ts'
import { eventually } from '../support/waiting.ts'
import { WebSocketClient } from '../support/web-socket-client.ts'

const pods = '/api/v1/namespaces/ns/pods'
const HANDSHAKE = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13']
const AGREEMENT = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: '

/** A turn that looks too long is measured again: other work of the process falls into it now and then. */
const ATTEMPTS = 6

/** Path of the request, and subprotocol of the WebSocket. */
const COMMANDS = {
  exec: { path: 'one/exec?command=x&stdin=1&stdout=1&stderr=1', protocol: 'v5.channel.k8s.io', agreed: 'v4.channel.k8s.io' },
  attach: { path: 'one/attach?stdin=1&stdout=1&stderr=1', protocol: 'v5.channel.k8s.io', agreed: 'v4.channel.k8s.io' },
  portforward: { path: 'one/portforward', protocol: 'SPDY/3.1+portforward.k8s.io', agreed: 'portforward.k8s.io' },
}
type Command = (typeof COMMANDS)[keyof typeof COMMANDS]

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

/** Frames that serve no stream of the command, again and again. */
const USELESS_FRAMES: Readonly<Record<string, Buffer>> = {
  'pings without end': hex('800300060000000400000002'),
  'unrequested ping responses': hex('800300060000000400000001'),
  'streams without end': hex('800300010000000a00000002000000000000'),
  'replies for unopened streams': hex('800300020000000400000063'),
  'resets of unopened streams': hex('80030003000000080000006300000001'),
  'data of unopened streams': hex('000000630000000178'),
  'empty frames of data': hex('0000000100000000'),
  'headers without end': hex('800300080000000400000001'),
  'frames of settings': hex('800300040000000400000000'),
  'frames of unknown types': hex('8003001100000000'),
}

/**
 * Frames that break the protocol, or say that they are longer than they are. The kubelet sends them once, and nothing
 * after them.
 */
const BROKEN_FRAMES: Readonly<Record<string, Buffer>> = {
  'a frame of another version': hex('8002000100000000'),
  'a ping without a number': hex('8003000600000000'),
  'a reset that is too short': hex('800300030000000400000001'),
}
const LONG_FRAMES: Readonly<Record<string, Buffer>> = {
  'a frame of data of 16 MiB of which one byte arrives': hex('0000000100ffffff78'),
  'a reply of 16 MiB of which four bytes arrive': hex('8003000200ffffff00000001'),
  'half a head of a frame': hex('00000001'),
  'a malformed header block': hex('80030002000000140000000100000000ffffffffffffffffffffffff'),
  'nothing at all': Buffer.alloc(0),
}

/** Sends these again and again, as fast as they are read. */
function endlessly(socket: Duplex, frames: Buffer): void {
  const block = Buffer.concat(Array<Buffer>(Math.ceil(32_768 / frames.length)).fill(frames))
  const more = (): void => {
    if (socket.destroyed) return
    if (socket.write(block)) setImmediate(more)
    else socket.once('drain', more)
  }
  more()
}

describe('hostile kubelets that run commands over WebSockets', () => {
  const mostTurn = mostTurnMs()
  let world: World
  before(async () => {
    world = await connectWorld({ translates: true, tunnels: true, metrics: new StreamMetrics() })
  })
  after(() => world?.close())

  const begin = ({ path, protocol }: Command): Promise<Conversation> =>
    speak(
      world.server,
      'plain',
      [
        `GET ${pods}/${path} HTTP/1.1`,
        'Host: localhost',
        'Connection: Upgrade',
        'Upgrade: websocket',
        ...HANDSHAKE,
        `Sec-WebSocket-Protocol: ${protocol}`,
        '',
        '',
      ].join('\r\n'),
    )
  const othersAreServed = async (): Promise<void> => void expect((await world.server.plain(`${pods}/one`)).status).to.equal(200)
  const kubeletIsLeft = (): Promise<void> => eventually('the kubelet is left', () => world.kubelet.sockets.size === 0)

  /** Runs a scene until no turn in it is long. */
  async function inShortTurns(scene: () => Promise<void>): Promise<void> {
    let longest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < ATTEMPTS && longest > mostTurn; attempt++) longest = Math.min(longest, (await turnCost(scene)).turn)
    expect(longest).to.be.at.most(mostTurn)
  }
  const agreeing =
    ({ agreed }: Command, act: Behaviour): Behaviour =>
    socket => {
      socket.on('error', () => {}).resume()
      socket.write(`${AGREEMENT}${agreed}\r\n\r\n`)
      act(socket)
    }
  const setAct = (act: Behaviour): void => {
    world.kubelet.upgradeAct = (_req, socket) => act(socket.on('error', () => {}).resume())
  }

  for (const [name, command] of Object.entries(COMMANDS)) {
    for (const [what, act] of Object.entries(HOSTILE_PROTOCOL))
      it(`end the request for ${name} by ${what}`, async () => {
        setAct(act)
        await inShortTurns(async () => {
          const client = await begin(command)
          await eventually('the client is answered', () => client.ended || client.heard.includes('\r\n\r\n'))
          if (client.heard !== '') expect(client.heard).to.not.match(/^HTTP\/1\.1 [23]/)
          await othersAreServed()
          client.socket.destroy()
          await kubeletIsLeft()
        })
      })

    for (const [what, act] of Object.entries(HOSTILE_SILENCE))
      it(`are disconnected when the client of ${name} leaves, with ${what}`, async () => {
        setAct(act)
        await inShortTurns(async () => {
          const client = await begin(command)
          await eventually('the kubelet is asked', () => world.kubelet.sockets.size > 0)
          await othersAreServed()
          client.socket.destroy()
          await kubeletIsLeft()
        })
      })

    for (const [what, frames] of Object.entries({ ...USELESS_FRAMES, ...BROKEN_FRAMES, ...LONG_FRAMES }))
      it(`are disconnected when the client of ${name} leaves, whatever they send: ${what}`, async () => {
        setAct(agreeing(command, socket => (what in USELESS_FRAMES ? endlessly(socket, frames) : socket.write(frames))))
        await inShortTurns(async () => {
          const client = await begin(command)
          await eventually('the client is answered', () => client.heard.includes('\r\n\r\n'))
          await othersAreServed()
          client.socket.destroy()
          await kubeletIsLeft()
        })
      })
  }

  for (const name of ['exec', 'attach'] as const) {
    const command = COMMANDS[name]
    for (const [what, frames] of Object.entries({ ...USELESS_FRAMES, ...BROKEN_FRAMES }))
      it(`end ${name} with an error for the client by ${what}`, async () => {
        setAct(agreeing(command, socket => (what in USELESS_FRAMES ? endlessly(socket, frames) : socket.write(frames))))
        await inShortTurns(async () => {
          const client = new WebSocketClient(await begin(command))
          await eventually('the client is told', () => client.closed)
          expect(JSON.parse(client.channel(3))).to.include({ status: 'Failure', code: 500 })
          client.conversation.socket.destroy()
          await kubeletIsLeft()
        })
      })

    it(`send output of ${name} byte by byte, as long as the client reads it`, async () => {
      let kubelet: SpdyKubelet | undefined
      world.kubelet.upgradeAct = (_req, socket) => {
        socket.write(`${AGREEMENT}${command.agreed}\r\n\r\n`)
        const speaks = new SpdyKubelet(socket)
        kubelet = speaks
        speaks.changed = () => {
          const { id } = speaks.streams.get('stdout') ?? {}
          if (id === undefined || speaks.streams.size < 4) return
          speaks.changed = () => {}
          endlessly(socket, hex(`${id.toString(16).padStart(8, '0')}0000000178`))
        }
      }
      await inShortTurns(async () => {
        const { socket } = await begin(command)
        // The endless output is not kept.
        let heard = 0
        socket.removeAllListeners('data').on('data', text => {
          heard += text.length
        })
        await eventually('much has come', () => heard > 200_000)
        await othersAreServed()
        socket.destroy()
        await kubeletIsLeft()
      })
      expect(kubelet?.streams.size).to.equal(4)
    })
  }
})
