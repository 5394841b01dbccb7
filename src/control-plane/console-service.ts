import type { Exchange } from '../endpoints/exchange.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import type { User } from '../meta/context.ts'
import type { Service } from './service.ts'

/** A secret that was handed out, and until when it is good (milliseconds since the epoch). */
interface Grant {
  readonly token: string
  readonly expires: number
}

/** What the console of a server is made with. */
export interface ConsoleOptions {
  /** Makes a one-time link: whoever opens it acts as the user. */
  link(user: User): Grant
}

/** What the console asks of this server beside the API. */
export class ConsoleService implements Service {
  readonly routes: readonly OwnRoute[]

  constructor(console: ConsoleOptions) {
    this.routes = [{ path: '/binnacle/v1/console/links', methods: ['POST'], handle: exchange => sendLink(console, exchange) }]
  }
}

/** Path and fragment: the token is in no log of requests. */
export const linkPath = (token: string): string => `/console/#${token}`

async function sendLink(console: ConsoleOptions, exchange: Exchange): Promise<void> {
  const { token, expires } = console.link(exchange.ctx.user)
  await exchange.sendBytes(201, 'application/json', Buffer.from(JSON.stringify({ link: linkPath(token), expires: new Date(expires).toISOString() })))
}
