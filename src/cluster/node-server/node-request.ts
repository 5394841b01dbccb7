import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { pathParts } from './paths.ts'

/** An error with the status of its response. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Returns the error for a path that kubelets do not serve, with Go's text. */
export const pathNotServed = (): RequestError => new RequestError(404, '404 page not found\n')

/** A request to a kubelet. */
export interface NodeRequest {
  /** The request, whose body has not been read. */
  readonly req: IncomingMessage
  /** First part of the path: `exec`. */
  readonly verb: string
  /** Parts behind it, without escapes. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

/** A request to switch protocols. */
export interface NodeUpgrade extends NodeRequest {
  /** The connection. It belongs to the handler, which must end it. */
  readonly socket: Duplex
  /** Bytes that followed the request. */
  readonly head: Buffer
}

/** Parses a request. Throws RequestError if an escape is invalid. */
export function nodeRequest(req: IncomingMessage): NodeRequest {
  const { url = '/' } = req
  const mark = url.indexOf('?')
  const [verb = '', ...parts] = pathParts(mark < 0 ? url : url.slice(0, mark)) ?? invalidPath()
  return { req, verb, parts, query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)) }
}

function invalidPath(): never {
  throw new RequestError(400, 'invalid escape in the path')
}

/** Reports whether the request is for a WebSocket. Others are for SPDY. */
export const isForWebSocket = ({ req }: NodeRequest): boolean => req.headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Largest number of ports of a port forward over a WebSocket: each has two channels, which are numbered in one byte.
 */
const MAX_PORTS = 128

/** Returns the ports of a port forward over a WebSocket. Throws RequestError. */
export function forwardedPorts(query: URLSearchParams): number[] {
  const texts = query.getAll('port').flatMap(text => text.split(','))
  const ports = texts.map(Number)
  if (ports.length === 0) throw new RequestError(400, 'query parameter "port" is required')
  if (ports.length > MAX_PORTS) throw new RequestError(400, `query parameter "port" may name at most ${MAX_PORTS} ports`)
  if (!ports.every(port => Number.isInteger(port) && port > 0 && port < 65_536))
    throw new RequestError(400, `invalid ports ${JSON.stringify(texts)}`)
  return ports
}

/** Status of the response to an error. Errors without one are the server's own. */
export const errorStatus = (error: unknown): number => (error instanceof RequestError ? error.status : 500)
