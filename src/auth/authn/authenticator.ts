import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { type Awaitable, after } from '../../lib/awaitable.ts'
import type { User } from '../../meta/context.ts'
import type { WhyProof } from '../../meta/why.ts'

/** Credentials of a request. */
export interface RequestCredentials {
  readonly headers: IncomingHttpHeaders
  /** Connection of the request. Identities from client certificates are cached per connection. */
  readonly socket: Socket
  /** Decoded path of the request, without query. Omitted if anonymous access does not depend on it. */
  readonly path?: string
  /** Raw headers: names and values alternate. */
  readonly request?: { readonly rawHeaders: readonly string[] }
  /** Receives warnings about the credentials, for the response. */
  readonly warned?: { warn(text: string): void }
  /** Optional. Records which credential authenticated the request, for `why`. */
  readonly proof?: ProofNotes | undefined
}

/** Called by the authenticator that accepted or rejected the credentials. */
export interface ProofNotes {
  proved(proof: WhyProof): void
  refused(why: string): void
}

/**
 * Result of an authenticator. `undefined`: the request has no credentials of its kind. `rejected`: they are invalid.
 */
export type Identity = User | 'rejected' | undefined

/** Authenticates a request. Returns synchronously if possible, because a promise would slow down every request. */
export type Authenticator = (credentials: RequestCredentials) => Identity | Promise<Identity>

/** Group of all authenticated users. */
export const AUTHENTICATED = 'system:authenticated'
/** Group of the anonymous user. */
export const UNAUTHENTICATED = 'system:unauthenticated'
/** User of requests without credentials, if anonymous access is allowed. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] }

/** Adds the group system:authenticated, except to the anonymous user, as upstream's AuthenticatedGroupAdder does. */
export function authenticated(user: User): User {
  if (user.name === ANONYMOUS.name) return user
  return user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)
    ? user
    : { ...user, groups: [...user.groups, AUTHENTICATED] }
}

/** Whether requests without credentials are anonymous: for all paths, or for these. */
export type Anonymous = boolean | ReadonlySet<string>

const isAnonymous = (anonymous: Anonymous, path: string | undefined): boolean =>
  typeof anonymous === 'boolean' ? anonymous : path !== undefined && anonymous.has(path)

/**
 * Tries authenticators in order. The first that returns a user wins. A rejection takes effect only if no later
 * authenticator accepts the request, as in upstream's union.
 */
export function authenticatorChain(authenticators: readonly Authenticator[], anonymous: Anonymous): Authenticator {
  const from = (index: number, credentials: RequestCredentials, fallback: Identity): Awaitable<Identity> => {
    const authenticator = authenticators[index]
    if (authenticator === undefined) return fallback
    return after(authenticator(credentials), found =>
      found === undefined || found === 'rejected' ? from(index + 1, credentials, found ?? fallback) : found,
    )
  }
  return credentials => from(0, credentials, isAnonymous(anonymous, credentials.path) ? ANONYMOUS : undefined)
}
