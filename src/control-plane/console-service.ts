import { bearerToken } from '../auth/authn/token.ts'
import type { Exchange } from '../endpoints/exchange.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import { minorOf, type Release } from '../lifecycle/release.ts'
import type { User } from '../meta/context.ts'
import { parsedObject } from '../meta/json-members.ts'
import { isJsonObject, type JsonObject } from '../meta/object.ts'
import { badRequestError, failure } from '../meta/status.ts'
import { tryExpression } from './console/expression-trial.ts'
import { type TrialParts, tryPolicy } from './console/policy-trial.ts'
import type { Service } from './service.ts'

/** A secret that was handed out, and until when it is good (milliseconds since the epoch). */
interface Grant {
  readonly token: string
  readonly expires: number
}

/** What the console of a server is made with. */
export interface ConsoleOptions {
  /** Whether a bearer token is one of a session. */
  isSession(token: string): boolean
  /** Makes a one-time link: whoever opens it acts as the user. */
  link(user: User): Grant
  /** The port that serves it; 0 until it listens. */
  port(): number
}

/** What it reads of the server. */
export interface ConsoleParts extends Omit<TrialParts, 'access'> {
  readonly release: Release
  access(signal: AbortSignal): TrialParts['access']
}

/** Of an expression with its variables, and of a policy: what is parsed at once. */
const MAX_BODY_BYTES = 256 * 1024
const ROOT = '/binnacle/v1/console/'

/** What the console asks of this server beside the API. */
export class ConsoleService implements Service {
  readonly routes: readonly OwnRoute[]

  constructor(console: ConsoleOptions, parts: ConsoleParts) {
    const post = (name: string, status: number, answer: (exchange: Exchange) => Promise<object>): OwnRoute => ({
      path: `${ROOT}${name}`,
      methods: ['POST'],
      handle: async exchange => exchange.sendBytes(status, 'application/json', Buffer.from(JSON.stringify(await answer(exchange)))),
    })
    this.routes = [
      post('links', 201, async ({ ctx, headers }) => {
        if (console.isSession(bearerToken(headers.authorization) ?? '')) throw failure(403, 'Forbidden', 'a session makes no links: it would never end', {})
        const { token, expires } = console.link(ctx.user)
        return { link: linkPath(token), port: console.port(), expires: new Date(expires).toISOString() }
      }),
      post('cel', 200, async exchange => {
        const { expression, variables = {} } = await bodyOf(exchange)
        if (typeof expression !== 'string') throw badRequestError('expression: must be a text')
        if (!isJsonObject(variables)) throw badRequestError('variables: must be an object')
        return tryExpression(expression, variables, minorOf(parts.release), exchange.ctx.signal)
      }),
      post('policies', 200, async exchange => {
        const { policy, path } = await bodyOf(exchange)
        if (typeof policy !== 'string' || typeof path !== 'string') throw badRequestError('policy, path: must be texts')
        return tryPolicy({ ...parts, access: parts.access(exchange.ctx.signal) }, exchange.ctx, policy, path)
      }),
    ]
  }
}

/** Path and fragment: the token is in no log of requests. */
export const linkPath = (token: string): string => `/console/#${token}`

/** Throws a StatusError. */
async function bodyOf(exchange: Exchange): Promise<JsonObject> {
  const body = parsedObject((await exchange.readBody(MAX_BODY_BYTES)).toString())
  if (body === undefined) throw badRequestError('the body is no JSON object')
  return body
}
