import { type Authenticator, authenticated } from '../../auth/authn/authenticator.ts'
import { bearerToken } from '../../auth/authn/token.ts'
import type { Exchange } from '../../endpoints/exchange.ts'
import { parsedObject } from '../../meta/json-members.ts'
import { failure, methodNotAllowedError, pathNotFoundError, unauthorizedError } from '../../meta/status.ts'
import { ConsoleFiles } from './console-files.ts'
import type { ConsoleSessions } from './console-sessions.ts'

/**
 * Content-Security-Policy of the console's files. All resources are files of this server; the page has no inline
 * scripts, styles or event handlers.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', POLICY],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Embedder-Policy', 'require-corp'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
]

const ROOT = '/console'
const SESSIONS = '/console/sessions'
/** Bytes of the body with a link's token. A token has 60 bytes. */
const MAX_BODY_BYTES = 1024

/**
 * The console as its port serves it: its files, which hold no secrets, without authentication, and the exchange of a
 * link for a session. A session is presented in a header that a script has to set: no other page can make a browser
 * send it, and the console's port has no CORS, regardless of the flags.
 */
export class ServedConsole {
  readonly #sessions: ConsoleSessions
  readonly #files = new ConsoleFiles()

  constructor(sessions: ConsoleSessions) {
    this.#sessions = sessions
  }

  /** Reports whether the path belongs to the console. */
  serves(path: string): boolean {
    return path.startsWith(ROOT) && (path.length === ROOT.length || path[ROOT.length] === '/')
  }

  /** Serves a file, opens a session (POST) or closes one (DELETE). Throws a StatusError. */
  async serve(exchange: Exchange): Promise<void> {
    for (const [name, value] of HEADERS) exchange.setHeader(name, value)
    if (exchange.path === SESSIONS) return this.#serveSessions(exchange)
    const file = this.#files.get(
      exchange.path === ROOT || exchange.path === `${ROOT}/` ? 'index.html' : exchange.path.slice(ROOT.length + 1),
    )
    if (file === undefined) throw pathNotFoundError()
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') throw methodNotAllowedError()
    await exchange.sendBytes(200, file.type, file.bytes)
  }

  /** Accepts sessions only, so that a browser cannot be made to present other credentials. */
  readonly authenticator: Authenticator = ({ headers }) => {
    const token = bearerToken(headers.authorization)
    const user = token === undefined ? undefined : this.#sessions.userOf(token)
    return user && authenticated(user)
  }

  /**
   * Returns an authenticator that rejects the tokens of sessions, which are valid on the console's port only. They are
   * not passed to the other authenticators.
   */
  withoutSessions(others: Authenticator): Authenticator {
    return credentials => {
      const token = bearerToken(credentials.headers.authorization)
      return token !== undefined && this.#sessions.isSession(token) ? 'rejected' : others(credentials)
    }
  }

  /**
   * Opens a session for the token of a link, or closes the session of the request. Throws 401 for an unknown token, and
   * 403 for requests of other pages.
   */
  async #serveSessions(exchange: Exchange): Promise<void> {
    if (exchange.method !== 'POST' && exchange.method !== 'DELETE') throw methodNotAllowedError()
    if (!isOwnPage(exchange)) throw failure(403, 'Forbidden', 'the console only serves requests of its own pages')
    if (exchange.method === 'DELETE') {
      if (!this.#sessions.close(bearerToken(exchange.headers.authorization) ?? '')) throw unauthorizedError()
      return exchange.sendBytes(200, 'application/json', Buffer.from('{}'))
    }
    const { token } = parsedObject((await exchange.readBody(MAX_BODY_BYTES)).toString()) ?? {}
    const session = typeof token === 'string' ? this.#sessions.open(token) : undefined
    if (session === undefined) throw unauthorizedError()
    const { user, expires } = session
    const answer = { token: session.token, expires: new Date(expires).toISOString(), user: { name: user.name, groups: user.groups } }
    await exchange.sendBytes(200, 'application/json', Buffer.from(JSON.stringify(answer)))
  }
}

/**
 * Reports whether the request comes from the console's page, or from a program other than a browser. Browsers send the
 * site and origin of the page (https://www.w3.org/TR/fetch-metadata/); others send neither.
 */
function isOwnPage({ headers }: Exchange): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  return origin === undefined || origin === `https://${String(headers[':authority'] ?? headers.host ?? '')}`
}
