import type { Duplex } from 'node:stream'
import type { Destination } from '../../catalog/connect.ts'
import { DialError } from '../../lib/dial-error.ts'
import { splice } from '../../lib/splice.ts'
import { failure } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'
import { ask, type Kubelets, type Reply } from './ask.ts'
import { endToEnd, forwardedHeaders, pairsOf } from './headers.ts'

/** Errors that upstream has no Status for. */
const plainError = (why: string) => failure(500, '', why)

/**
 * Passes on a request to leave HTTP (WebSocket, SPDY), and where the other side agrees, the bytes that follow, both ways until either ends. What the two speak is theirs. A refusal is
 * passed back. The client's query stays behind, as upstream has it: the destination has its own.
 */
export async function upgrade(exchange: Exchange, destination: Destination, kubelets: Kubelets): Promise<void> {
  const reply = await send(exchange, destination, kubelets)
  const { response, upgraded } = reply
  const status = response.statusCode ?? 0
  if (upgraded) return join(exchange, response.statusMessage ?? '', pairsOf(response.rawHeaders), upgraded)
  if (status < 400) {
    response.destroy()
    throw plainError(`invalid upgrade response: status code ${status}`)
  }
  await exchange.relay(status, endToEnd(pairsOf(response.rawHeaders)).flat(), response)
}

async function send(exchange: Exchange, destination: Destination, kubelets: Kubelets): Promise<Reply> {
  // A body would come after the answer, as part of what the two say to each other.
  const headers = forwardedHeaders(exchange).filter(([name, value]) => !/^(?:transfer-encoding|content-length)$/i.test(name) || value === '0')
  try {
    return await ask(destination, kubelets, { method: exchange.method, headers: headers.flat(), signal: exchange.ctx.signal })
  } catch (error) {
    throw error instanceof DialError ? plainError(`error dialing backend: ${error.message}`) : error
  }
}

async function join(
  exchange: Exchange,
  reason: string,
  headers: readonly (readonly [string, string])[],
  server: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  const { socket, head } = exchange.hijack(101)
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 101 ${reason}\r\n${lines}\r\n`, 'latin1'), server.head]))
  if (head.length > 0) server.socket.write(head)
  await splice(socket, server.socket, exchange.ctx.signal)
}
