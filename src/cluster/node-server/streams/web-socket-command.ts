import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { acceptance } from '../../../protocols/websocket/handshake.ts'
import { ChannelSocket } from './channel-socket.ts'
import { type CommandStreams, endOutput, endStream, resultStatus, resultText, type StreamOptions } from './command-streams.ts'
import { openTerminal } from './terminal.ts'
import { negotiated, offers, refuseUpgrade } from './upgrade-reply.ts'

const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io']
/** Channels of a command. */
const [STDIN, STDOUT, STDERR, ERROR, RESIZE] = [0, 1, 2, 3, 4] as const

/** Returns the protocol of a handshake, or undefined if it was refused. */
export function webSocketProtocol(req: IncomingMessage, socket: Duplex, supported: readonly string[]): string | undefined {
  const offered = offers(req.headers['sec-websocket-protocol'])
  const protocol = negotiated(offered, supported, '')
  if (protocol !== undefined && req.headers['sec-websocket-key'] !== undefined) return protocol
  refuseUpgrade(socket, 400, `the subprotocols ${offered.join(', ')} are not supported; supported are ${supported.join(', ')}`)
  return undefined
}

/** Accepts the streams of a command over a WebSocket. Undefined if the handshake was refused. */
export function webSocketCommand(req: IncomingMessage, socket: Duplex, head: Buffer, options: StreamOptions): CommandStreams | undefined {
  const protocol = webSocketProtocol(req, socket, PROTOCOLS)
  if (protocol === undefined) return undefined
  socket.write(acceptance(req.headers['sec-websocket-key'] ?? '', protocol), 'latin1')
  const channels = new ChannelSocket(socket)
  const stdin = options.stdin ? channels.input(STDIN) : undefined
  const [stdout, stderr] = [options.stdout ? channels.output(STDOUT) : undefined, options.stderr ? channels.output(STDERR) : undefined]
  const terminal = options.tty ? openTerminal(stdin, stdout, channels.input(RESIZE)) : undefined
  channels.start(head)
  return {
    ...(terminal ?? { stdin, stdout }),
    stderr,
    left: channels.left,
    async finish(result) {
      const text = protocol.startsWith('v') ? JSON.stringify(resultStatus(result)) : resultText(result)
      await Promise.all([endOutput(terminal ? terminal.stdout : stdout, stdout), endStream(stderr)])
      if (text !== '') channels.send(ERROR, Buffer.from(text))
      channels.close()
    },
  }
}
