import { Readable } from 'node:stream'
import type { Destination } from '../../catalog/connect.ts'
import { DialError } from '../../lib/dial-error.ts'
import { serverResponse } from '../../meta/server-response.ts'
import { badRequestError, failure, internalServerError, type StatusError } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'
import { asksWebSocket } from '../web-socket/handshake.ts'
import { ask, authorityOf, type Kubelets, type Reply, requestTarget } from './ask.ts'
import { errorText } from './error-text.ts'
import { sendOverWebSocket } from './web-socket.ts'

/**
 * Streams a log, over a WebSocket if the client requests one. `destination`: undefined if there is no log yet, which
 * is 204.
 */
export async function log(exchange: Exchange, destination: Destination | undefined, kubelets: Kubelets, name: string): Promise<void> {
  if (!destination) return exchange.relay(204, [], Readable.from([]))
  const { response } = await requestLog(exchange, destination, kubelets)
  const status = response.statusCode ?? 0
  if (status < 200 || status > 206) throw refusal(status, await errorText(response), name)
  if (asksWebSocket(exchange)) return sendOverWebSocket(exchange, response)
  await exchange.relay(200, ['Content-Type', 'text/plain'], response)
}

/**
 * Requests the log. Throws 500 with the messages of Go's HTTP client if the kubelet cannot be reached. Redirects are
 * not followed.
 */
async function requestLog(exchange: Exchange, destination: Destination, kubelets: Kubelets): Promise<Reply> {
  const url = `${destination.scheme}://${authorityOf(destination)}${requestTarget(destination)}`
  const failed = (why: string): StatusError => failure(500, '', `Get ${JSON.stringify(url)}: ${why}`)
  let reply: Reply
  try {
    reply = await ask(destination, kubelets, { method: 'GET', headers: [], signal: exchange.ctx.signal })
  } catch (error) {
    throw error instanceof DialError ? failed(error.message) : error
  }
  const { response, upgraded } = reply
  upgraded?.socket.destroy()
  const status = response.statusCode ?? 0
  if (status >= 300 && status < 400 && response.headers.location !== undefined) {
    response.destroy()
    throw failed('redirects forbidden')
  }
  return reply
}

/** Returns the error of a kubelet's response: its own text for 400 and 500, client-go's for any other code. */
function refusal(status: number, text: string, name: string): StatusError {
  if (status === 500) return internalServerError(text)
  if (status === 400) return badRequestError(text)
  return serverResponse(status, { resource: 'pods/log', name }, text)
}
