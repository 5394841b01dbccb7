import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ServerStream, SpdyServerConnection } from '../../../protocols/spdy/server-connection.ts'
import { type CommandStreams, endOutput, endStream, resultStatus, resultText, type StreamOptions } from './command-streams.ts'
import { openTerminal } from './terminal.ts'
import { acceptUpgrade, negotiated, offers } from './upgrade-reply.ts'

/**
 * Protocols of commands, in the order of preference. Terminal sizes are sent from version 3 on, and the result is a
 * Status from version 4 on.
 */
const PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']

/** Time for the client to open all streams, in milliseconds, as kubelets have it. */
const OPEN_MS = 30_000

/**
 * Accepts the streams of a command over SPDY. Resolves when the client has opened them. Undefined if the client leaves
 * before, or does not open them in time. Refuses a client that supports none of the protocols.
 */
export async function spdyCommand(
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: StreamOptions,
): Promise<CommandStreams | undefined> {
  const protocol = negotiated(offers(req.headers['x-stream-protocol-version']), PROTOCOLS, 'channel.k8s.io')
  if (protocol === undefined || !acceptUpgrade(socket, 'SPDY/3.1', ['X-Stream-Protocol-Version', protocol])) return undefined
  const expected = expectedStreams(options, protocol)
  const left = new AbortController()
  const streams = new Map<string, ServerStream>()
  const connection = await new Promise<SpdyServerConnection | undefined>(resolve => {
    const opened = (stream: ServerStream): void => {
      const type = stream.headers.get('streamtype') ?? ''
      if (!expected.includes(type) || streams.has(type)) {
        stream.destroy()
        return
      }
      streams.set(type, stream)
      if (streams.size === expected.length) settle(made)
    }
    const made = new SpdyServerConnection(socket, {
      opened,
      ended: () => {
        left.abort()
        settle(undefined)
      },
    })
    const timer = setTimeout(() => {
      made.close()
      settle(undefined)
    }, OPEN_MS)
    const settle = (value: SpdyServerConnection | undefined): void => {
      clearTimeout(timer)
      resolve(value)
    }
    made.start(head)
  })
  if (connection === undefined) return undefined
  const [error, stdout, stderr] = ['error', 'stdout', 'stderr'].map(type => streams.get(type))
  // The client sends nothing there.
  for (const type of ['error', 'stdout', 'stderr']) streams.get(type)?.resume()
  const stdin = streams.get('stdin')
  const terminal = options.tty ? openTerminal(stdin, stdout, streams.get('resize')) : undefined
  return {
    ...(terminal ?? { stdin, stdout }),
    stderr,
    left: left.signal,
    async finish(result) {
      const text = protocol === 'v4.channel.k8s.io' ? JSON.stringify(resultStatus(result)) : resultText(result)
      await Promise.all([endOutput(terminal ? terminal.stdout : stdout, stdout), endStream(stderr)])
      if (text !== '') error?.write(text)
      await endStream(error)
      connection.close()
    },
  }
}

function expectedStreams({ stdin, stdout, stderr, tty }: StreamOptions, protocol: string): string[] {
  const hasResize = tty && PROTOCOLS.indexOf(protocol) <= PROTOCOLS.indexOf('v3.channel.k8s.io')
  return [
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr ? ['stderr'] : []),
    ...(hasResize ? ['resize'] : []),
  ]
}
