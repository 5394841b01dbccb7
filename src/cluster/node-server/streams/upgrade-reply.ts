import type { Duplex } from 'node:stream'

/** Returns the protocols that a header offers, which may be repeated. */
export const offers = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap(each => each.split(','))
    .flatMap(each => (each.trim() === '' ? [] : [each.trim()]))

/**
 * Returns the client's first offer that is supported, or `otherwise` if it offers nothing. Undefined if it supports
 * none.
 */
export function negotiated(offered: readonly string[], supported: readonly string[], otherwise: string): string | undefined {
  return offered.length === 0 ? otherwise : offered.find(each => supported.includes(each))
}

/** Accepts a switch of protocols. Returns false if the connection is lost. @param header name and value. */
export function acceptUpgrade(socket: Duplex, protocol: string, [name, value]: readonly [string, string]): boolean {
  if (!socket.writable) return false
  const line = value === '' ? '' : `${name}: ${value}\r\n`
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${line}\r\n`)
  return true
}

/** Refuses a switch of protocols with a text. */
export function refuseUpgrade(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) return
  const body = Buffer.from(text)
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
      ),
      body,
    ]),
  )
  socket.resume()
}

const REASONS: Readonly<Record<number, string>> = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found', 500: 'Internal Server Error' }
