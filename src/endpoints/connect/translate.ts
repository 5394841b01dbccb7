import type { ConnectOptions, Destination } from '../../catalog/connect.ts'
import { DialError } from '../../lib/dial-error.ts'
import { endWhenStalled } from '../../lib/end-when-stalled.ts'
import type { Exchange } from '../exchange.ts'
import { acceptWith, askedProtocols, asksWebSocket } from '../web-socket/handshake.ts'
import { ask, authorityOf, type Kubelets, type Reply, requestTarget } from './ask.ts'
import { CommandClient, type CommandStreams } from './command-client.ts'
import { errorText } from './error-text.ts'
import { readStatus } from './read-status.ts'
import { RemoteCommand } from './remote-command.ts'
import { COMMAND_PROTOCOLS, type CommandOutcome, commandProtocol, failed, outcomeOfStatus, SUCCEEDED } from './remote-command-outcome.ts'
import type { StreamMetrics } from './stream-translation.ts'

/** The only subprotocol that signals the end of the client's streams. Older ones are proxied unchanged. */
const TRANSLATED = 'v5.channel.k8s.io'

/** Reports whether a command is translated from WebSocket to SPDY. */
export const asksTranslation = (exchange: Exchange): boolean => asksWebSocket(exchange) && askedProtocols(exchange).includes(TRANSLATED)

/**
 * Runs a command in a container for a client that speaks v5.channel.k8s.io over a WebSocket, with a kubelet that speaks
 * SPDY. The client is connected first: errors of the kubelet and the result of the command are sent on its error
 * channel.
 */
export async function translate(
  exchange: Exchange,
  destination: Destination,
  kubelets: Kubelets,
  options: ConnectOptions,
  metrics: StreamMetrics,
): Promise<void> {
  const taken = acceptWith(exchange, TRANSLATED)
  if (taken === undefined) {
    metrics.countTranslated(400)
    return
  }
  const has = (stream: string): boolean => options[stream] === true
  const streams: CommandStreams = { stdin: has('stdin'), stdout: has('stdout'), stderr: has('stderr'), tty: has('tty') }
  const gone = new AbortController()
  const client = new CommandClient(taken.socket, streams, () => gone.abort())
  client.start(taken.head)
  const signal = AbortSignal.any([exchange.ctx.signal, gone.signal])
  const outcome = await run(client, streams, destination, kubelets, signal)
  client.end(outcome.status)
  metrics.countTranslated(outcome.code)
}

/** Runs the command. Errors are part of the outcome, because the client is already connected. */
async function run(
  client: CommandClient,
  streams: CommandStreams,
  destination: Destination,
  kubelets: Kubelets,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const url = `${destination.scheme}://${authorityOf(destination)}${requestTarget(destination)}`
  const notSent = (where: string, why: string): CommandOutcome => failed(`error sending request: Post ${JSON.stringify(where)}: ${why}`)
  let reply: Reply
  try {
    reply = await ask(destination, kubelets, { method: 'POST', headers: HEADERS, signal })
  } catch (error) {
    // A client that has disconnected receives nothing. If the server shuts down, the client receives the error.
    if (signal.aborted) return failed('context canceled')
    if (error instanceof DialError) return notSent(url, error.message === 'EOF' ? 'unexpected EOF' : error.message)
    throw error
  }
  const { response, upgraded } = reply
  const { location } = response.headers
  if (location !== undefined && REDIRECTS.has(response.statusCode ?? 0)) {
    response.destroy()
    return notSent(location, 'redirect not allowed')
  }
  const agrees = /upgrade/i.test(response.headers.connection ?? '') && /spdy\/3\.1/i.test(response.headers.upgrade ?? '')
  if (upgraded === undefined || !agrees) {
    upgraded?.socket.destroy()
    return upgradeRefusal(upgraded === undefined ? await errorText(response) : '')
  }
  endWhenStalled(upgraded.socket)
  const name = String(response.headers['x-stream-protocol-version'] ?? '')
  const protocol = commandProtocol(name)
  if (protocol !== undefined) return new RemoteCommand(client, streams, protocol, upgraded.socket).run(upgraded.head, signal)
  upgraded.socket.destroy()
  return failed(`unable to upgrade connection: unknown protocol ${JSON.stringify(name)}`)
}

const HEADERS: readonly string[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'SPDY/3.1'],
  ['Content-Length', '0'],
  ...Object.keys(COMMAND_PROTOCOLS).map(name => ['X-Stream-Protocol-Version', name]),
].flat()

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Returns the outcome if the kubelet does not switch protocols: its Status, or its text. */
function upgradeRefusal(text: string): CommandOutcome {
  const status = readStatus(text)
  if (typeof status === 'string' || !status.isKind) return failed(`unable to upgrade connection: ${text.trim()}`)
  return status.status === 'Success' ? SUCCEEDED : outcomeOfStatus(status)
}
