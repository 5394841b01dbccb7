import type { Exchange } from './exchange.ts'

/** Sends plain text as Go's http.Error does. */
export const sendText = (exchange: Exchange, status: number, text: string): Promise<void> => {
  exchange.setHeader('X-Content-Type-Options', 'nosniff')
  return exchange.sendBytes(status, 'text/plain; charset=utf-8', Buffer.from(`${text}\n`))
}
