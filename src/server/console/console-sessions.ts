import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { User } from '../../meta/context.ts'

/** Lifetime of a link that is not used. */
export const LINK_MS = 15 * 60_000
/** Lifetime of a session. */
export const SESSION_MS = 12 * 60 * 60_000
/** Limits on open links and sessions. Beyond them, the oldest are dropped. */
const MOST_LINKS = 16
const MOST_SESSIONS = 64
/** Prefix of session tokens, which distinguishes them from other tokens without a look-up. */
const SESSION_PREFIX = 'binnacle-console.'

/** A token, and when it expires (milliseconds since the epoch). */
export interface SessionGrant {
  readonly token: string
  readonly expires: number
}

/** A stored link or session. */
interface StoredGrant {
  /** SHA-256 of the token. The token itself is not stored. */
  readonly hash: Buffer
  readonly user: User
  readonly expires: number
}

/**
 * One-time links to the console, and the sessions that they open. A session belongs to the user who requested the link,
 * with the groups that the user had at that time.
 */
export class ConsoleSessions {
  readonly #clock: Clock
  #links: readonly StoredGrant[] = []
  #sessions: readonly StoredGrant[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the token of a new link. It opens one session. */
  link(user: User): SessionGrant {
    const { grant, kept } = this.#grant('', user, LINK_MS)
    this.#links = [...this.#links, kept].slice(-MOST_LINKS)
    return grant
  }

  /** Opens a session and removes the link. Returns undefined if the link is unknown, used or expired. */
  open(link: string): (SessionGrant & { readonly user: User }) | undefined {
    const used = this.#find(this.#links, link)
    if (used === undefined) return undefined
    this.#links = this.#links.filter(each => each !== used)
    const { grant, kept } = this.#grant(SESSION_PREFIX, used.user, SESSION_MS)
    this.#sessions = [...this.#sessions, kept].slice(-MOST_SESSIONS)
    return { ...grant, user: used.user }
  }

  /** Reports whether a bearer token has the form of a session token, valid or not. */
  isSession(token: string): boolean {
    return token.startsWith(SESSION_PREFIX)
  }

  /** Returns the user of a session. Undefined if the session is unknown or expired. */
  userOf(session: string): User | undefined {
    return this.#find(this.#sessions, session)?.user
  }

  /** Closes a session. Returns whether it existed. */
  close(session: string): boolean {
    const ended = this.#find(this.#sessions, session)
    this.#sessions = this.#sessions.filter(each => each !== ended)
    return ended !== undefined
  }

  #grant(prefix: string, user: User, lifetimeMs: number): { readonly grant: SessionGrant; readonly kept: StoredGrant } {
    const token = prefix + randomBytes(32).toString('base64url')
    const expires = this.#clock.now() + lifetimeMs
    return { grant: { token, expires }, kept: { hash: tokenHash(token), user, expires } }
  }

  /** Compares in constant time, so that the duration reveals nothing about the hash. */
  #find(among: readonly StoredGrant[], token: string): StoredGrant | undefined {
    const hash = tokenHash(token)
    const found = among.filter(each => timingSafeEqual(each.hash, hash))[0]
    return found !== undefined && this.#clock.now() < found.expires ? found : undefined
  }
}

const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
