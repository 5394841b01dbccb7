import { isJsonObject, type JsonObject } from '../api/meta/object.ts'
import { bearerToken } from '../auth/authn/token.ts'
import type { Exchange } from '../endpoints/exchange.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import { minorOf, type Release } from '../lifecycle/release.ts'
import type { User } from '../meta/context.ts'
import { parsedObject } from '../meta/json-members.ts'
import { badRequestError, failure } from '../meta/status.ts'
import type { SessionGrant } from '../server/console/console-sessions.ts'
import { tryExpression } from './console/expression-trial.ts'
import { type TrialParts, tryPolicy } from './console/policy-trial.ts'
import type { Service } from './service.ts'

/** Options of the console. */
export interface ConsoleOptions {
  /** Whether a bearer token belongs to a console session. */
  isSession(token: string): boolean
  /** Returns a one-time link. A browser that opens it acts as the user. */
  link(user: User): SessionGrant
  /** Port of the console. 0 until it listens. */
  port(): number
}

/** Dependencies of the console. */
export interface ConsoleParts extends Omit<TrialParts, 'access'> {
  readonly release: Release
  access(signal: AbortSignal): TrialParts['access']
}

/** Maximum length of a request body, in bytes. It is parsed synchronously. */
const MAX_BODY_BYTES = 256 * 1024
const ROOT = '/binnacle/v1/console/'

/** Endpoints of the console beside the API. */
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
        if (console.isSession(bearerToken(headers.authorization) ?? ''))
          throw failure(403, 'Forbidden', 'a console session cannot create links: it would never expire', {})
        const { token, expires } = console.link(ctx.user)
        return { link: linkPath(token), port: console.port(), expires: new Date(expires).toISOString() }
      }),
      post('cel', 200, async exchange => {
        const { expression, variables = {} } = await readJsonBody(exchange)
        if (typeof expression !== 'string') throw badRequestError('expression: must be a string')
        if (!isJsonObject(variables)) throw badRequestError('variables: must be an object')
        return tryExpression(expression, variables, minorOf(parts.release), exchange.ctx.signal)
      }),
      post('policies', 200, async exchange => {
        const { policy, path } = await readJsonBody(exchange)
        if (typeof policy !== 'string' || typeof path !== 'string') throw badRequestError('policy, path: must be strings')
        return tryPolicy({ ...parts, access: parts.access(exchange.ctx.signal) }, exchange.ctx, policy, path)
      }),
    ]
  }
}

/** Path of a link. The token is in the fragment, so it never appears in request logs. */
export const linkPath = (token: string): string => `/console/#${token}`

/** Reads a JSON object from the request body. Throws a StatusError. */
async function readJsonBody(exchange: Exchange): Promise<JsonObject> {
  const body = parsedObject((await exchange.readBody(MAX_BODY_BYTES)).toString())
  if (body === undefined) throw badRequestError('the body must be a JSON object')
  return body
}
