import type { Duplex } from 'node:stream'
import type { Destination } from '../../catalog/connect.ts'
import { DialError } from '../../lib/dial-error.ts'
import { endWhenStalled } from '../../lib/end-when-stalled.ts'
import type { Header } from '../../lib/header.ts'
import { splice } from '../../lib/splice.ts'
import { failure } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'
import type { Ask, Reply } from './ask.ts'
import type { Passing } from './forward.ts'
import { endToEnd, forwardedHeaders } from './headers.ts'
import { passedBack, passedBackWithUpgrade } from './response-headers.ts'

/** Errors for which upstream has no Status reason. */
const plainError = (why: string) => failure(500, '', why)

/**
 * Proxies a request to switch protocols (WebSocket, SPDY). If the other side accepts, bytes are copied in both
 * directions until either side ends. A refusal is sent to the client. The query is that of the destination.
 */
export async function upgrade(exchange: Exchange, destination: Destination, passing: Passing): Promise<void> {
  const headers = upgradeHeaders(forwardedHeaders(exchange))
  const reply = await sendUpgrade(exchange, destination, passing.ask, exchange.method, passing.headers?.(headers, destination) ?? headers)
  const { response, upgraded } = reply
  if (upgraded) return join(exchange, response.statusMessage ?? '', passedBackWithUpgrade(response.rawHeaders), upgraded)
  return passRefusal(exchange, reply)
}

/**
 * Connection has only `Upgrade`: a proxy before the other server would remove headers that the client's Connection
 * header names, including those that identify the user. Bodies are not forwarded: one would follow the response and
 * become part of the upgraded stream.
 */
const upgradeHeaders = (headers: readonly Header[]): Header[] => [
  ...endToEnd(headers).filter(([name, value]) => !/^content-length$/i.test(name) || value === '0'),
  ['Connection', 'Upgrade'],
  ...headers.filter(([name]) => /^upgrade$/i.test(name)),
]

/** Sends the upgrade request to another server. Throws the client's error if it cannot be reached. */
export async function sendUpgrade(
  exchange: Exchange,
  destination: Destination,
  ask: Ask,
  method: string,
  headers: readonly Header[],
): Promise<Reply> {
  try {
    return await ask(destination, { method, headers: headers.flat(), signal: exchange.ctx.signal })
  } catch (error) {
    throw error instanceof DialError ? plainError(`error dialing backend: ${error.message}`) : error
  }
}

/** Sends the response of a server that did not switch protocols. Throws if it is not an error. */
export async function passRefusal(exchange: Exchange, { response }: Reply): Promise<void> {
  const status = response.statusCode ?? 0
  if (status < 400) {
    response.destroy()
    throw plainError(`invalid upgrade response: status code ${status}`)
  }
  await exchange.relay(status, passedBack(response.rawHeaders).flat(), response)
}

/** Copies bytes in both directions until either side ends, or the server's side is stalled for too long. */
async function join(
  exchange: Exchange,
  reason: string,
  headers: readonly Header[],
  server: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  const { socket, head } = exchange.hijack(101)
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 101 ${reason}\r\n${lines}\r\n`, 'latin1'), server.head]))
  if (head.length > 0) server.socket.write(head)
  endWhenStalled(server.socket)
  await splice(socket, server.socket, exchange.ctx.signal)
}
