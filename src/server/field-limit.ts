import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { MAX_HEADERS } from './limits.ts'

/**
 * Node passes over the fields of a request beyond a number, without a word, and without a number it takes time as their square. It is told one more than is taken: then a request that has
 * too many is known by it, and refused whole.
 */
export function limitFields(server: Server): void {
  server.maxHeadersCount = MAX_HEADERS + 1
}

export const hasTooManyFields = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean => rawHeaders.length > 2 * MAX_HEADERS

const TEXT = '431 Request Header Fields Too Large'
const HEADERS = { 'Cache-Control': 'no-cache, private', 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': TEXT.length, Connection: 'close' }

/** Refuses a request. */
export const answerTooManyFields = (res: ServerResponse): void => void res.writeHead(431, HEADERS).end(TEXT)

/** Refuses a request whose connection has been taken from Node's HTTP already. */
export function refuseTooManyFields(socket: Duplex): void {
  const head = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => {}).resume()
  socket.end(`HTTP/1.1 ${TEXT}\r\n${head.join('')}\r\n${TEXT}`)
}
