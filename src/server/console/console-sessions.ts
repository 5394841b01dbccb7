import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { User } from '../../meta/context.ts'

/** A link that nobody has opened by then is void. */
export const LINK_MS = 15 * 60_000
/** A session ends by itself. */
export const SESSION_MS = 12 * 60 * 60_000
/** Of more, the oldest go. */
const MOST_LINKS = 16
const MOST_SESSIONS = 64
/** By which other tokens are told apart at once. */
const SESSION_PREFIX = 'binnacle-console.'

/** A secret that was handed out, and until when it is good (milliseconds since the epoch). */
export interface Grant {
  readonly token: string
  readonly expires: number
}

interface Kept {
  /** SHA-256 of the token, which is kept nowhere. */
  readonly hash: Buffer
  readonly user: User
  readonly expires: number
}

/** One-time links to the console, and the sessions that they open. A session is that of who has asked for the link, and of the groups that this user had then. */
export class ConsoleSessions {
  readonly #clock: Clock
  #links: readonly Kept[] = []
  #sessions: readonly Kept[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A link's token. It opens one session. */
  link(user: User): Grant {
    const { grant, kept } = this.#grant('', user, LINK_MS)
    this.#links = [...this.#links, kept].slice(-MOST_LINKS)
    return grant
  }

  /** Uses a link up. Undefined: there is none that is good. */
  open(link: string): (Grant & { readonly user: User }) | undefined {
    const used = this.#find(this.#links, link)
    if (used === undefined) return undefined
    this.#links = this.#links.filter(each => each !== used)
    const { grant, kept } = this.#grant(SESSION_PREFIX, used.user, SESSION_MS)
    this.#sessions = [...this.#sessions, kept].slice(-MOST_SESSIONS)
    return { ...grant, user: used.user }
  }

  /** Whether a bearer token is one of a session, good or not. */
  isSession(token: string): boolean {
    return token.startsWith(SESSION_PREFIX)
  }

  userOf(session: string): User | undefined {
    return this.#find(this.#sessions, session)?.user
  }

  /** Ends a session; false where there is none. */
  close(session: string): boolean {
    const ended = this.#find(this.#sessions, session)
    this.#sessions = this.#sessions.filter(each => each !== ended)
    return ended !== undefined
  }

  #grant(prefix: string, user: User, lifetimeMs: number): { readonly grant: Grant; readonly kept: Kept } {
    const token = prefix + randomBytes(32).toString('base64url')
    const expires = this.#clock.now() + lifetimeMs
    return { grant: { token, expires }, kept: { hash: hashOf(token), user, expires } }
  }

  /** Takes as long for a token that is nearly right as for any other. */
  #find(among: readonly Kept[], token: string): Kept | undefined {
    const hash = hashOf(token)
    const found = among.filter(each => timingSafeEqual(each.hash, hash))[0]
    return found !== undefined && this.#clock.now() < found.expires ? found : undefined
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
