import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { isTokenProtocol, protocolsOf } from '../../auth/authn/web-socket-token.ts'
import { acceptance } from '../../protocols/websocket/handshake.ts'
import type { Exchange } from '../exchange.ts'

/** Reports whether the client requests a WebSocket. */
export const asksWebSocket = ({ asksUpgrade, headers }: Exchange): boolean => asksUpgrade && headers.upgrade?.toLowerCase() === 'websocket'

/** Returns the subprotocols that a client offers, without those that carry a bearer token. */
export function askedProtocols({ headers }: Exchange): string[] {
  const header = headers['sec-websocket-protocol'] ?? ''
  return header.trim() === '' ? [] : protocolsOf(header).filter(each => !isTokenProtocol(each))
}

/** The connection of an accepted handshake. */
export interface Taken {
  readonly socket: Duplex
  /** Bytes that came behind the request. */
  readonly head: Buffer
}

/** Accepts a handshake, with this subprotocol if any, and takes over the connection. */
export function accept(exchange: Exchange, protocol: string): Taken {
  const key = exchange.headers['sec-websocket-key'] ?? ''
  const taken = exchange.hijack(101)
  taken.socket.write(acceptance(key, protocol), 'latin1')
  return taken
}

/**
 * Accepts a handshake as kube-apiserver's library for event streams does. It requires an Origin, and accepts any single
 * subprotocol. Otherwise refuses the handshake with that library's texts, on the bare connection, and returns
 * undefined.
 */
export function acceptAny(exchange: Exchange): Taken | undefined {
  const fault = handshakeFault(exchange.headers)
  if (fault !== undefined) return refuseHandshake(exchange, 400, ...fault)
  if (!isRequestUri(exchange.headers.origin ?? '')) return refuseHandshake(exchange, 403, '')
  const [protocol = '', second] = askedProtocols(exchange)
  return second === undefined ? accept(exchange, protocol) : refuseHandshake(exchange, 400, '')
}

/**
 * Accepts a handshake with one of the offered subprotocols, from any origin. Otherwise refuses it as `acceptAny` does.
 */
export function acceptWith(exchange: Exchange, protocol: string): Taken | undefined {
  if (exchange.method !== 'GET') return refuseHandshake(exchange, 405, 'bad method')
  const fault = handshakeFault(exchange.headers)
  return fault === undefined ? accept(exchange, protocol) : refuseHandshake(exchange, 400, ...fault)
}

/** Returns the reason of a refusal, and its headers. Undefined if the handshake is valid. */
function handshakeFault(headers: Exchange['headers']): [why: string, headers?: string] | undefined {
  if (headers['sec-websocket-key'] === undefined || headers['sec-websocket-key'] === '') return ['mismatch challenge/response']
  if (headers['sec-websocket-version'] !== '13') return ['missing or bad WebSocket Version', 'Sec-WebSocket-Version: 13\r\n']
  return undefined
}

/** Reports whether a text is an absolute URL or a path, as Go's url.ParseRequestURI accepts. */
const isRequestUri = (text: string): boolean => /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)[\x21-\x7e]*$/i.test(text)

function refuseHandshake(exchange: Exchange, code: number, why: string, headers = ''): undefined {
  const { socket } = exchange.hijack(code)
  socket.resume()
  socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${headers}\r\n${why}`)
  return undefined
}
