import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { User } from '../../meta/context.ts'
import type { WhyProof } from '../../meta/why.ts'

/** What a request shows of who makes it. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders
  /** The connection that carries the request; identities proved by it are found once. */
  readonly socket: Socket
  /** Of the request, decoded and without its query; absent: none that may be asked for without credentials. */
  readonly path?: string
  /** Where its header fields stand as they came, names and values in turn. */
  readonly request?: { readonly rawHeaders: readonly string[] }
  /** Who is told what is odd about them, beside the answer. */
  readonly warned?: { warn(text: string): void }
  /** Where it is taken down by what somebody has shown who it is; undefined: nowhere. */
  readonly proof?: ProofNotes | undefined
}

/** Told by the authenticator that knows who makes a request, or why its credentials are not valid. */
export interface ProofNotes {
  proved(proof: WhyProof): void
  refused(why: string): void
}

/** `undefined`: no credentials of this kind were shown. `rejected`: they were, and are not valid. */
export type Identity = User | 'rejected' | undefined

/** Finds out who makes a request. Answers at once where it can: a promise costs every request. */
export type Authenticator = (credentials: Credentials) => Identity | Promise<Identity>

/** Group that the server adds by itself. */
export const AUTHENTICATED = 'system:authenticated'
/** Group of the anonymous user alone. */
export const UNAUTHENTICATED = 'system:unauthenticated'
/** The user of requests without credentials, where those are allowed. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] }

/** The user with the group that all who proved themselves are in: not for who is anonymous by name, as upstream's AuthenticatedGroupAdder has it. */
export function authenticated(user: User): User {
  if (user.name === ANONYMOUS.name) return user
  return user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] }
}

/** Whether who shows no credentials is system:anonymous: everywhere, or with these paths. */
export type Anonymous = boolean | ReadonlySet<string>

const isAnonymous = (anonymous: Anonymous, path: string | undefined): boolean =>
  typeof anonymous === 'boolean' ? anonymous : path !== undefined && anonymous.has(path)

/** Asks each in turn; the first that knows the request decides. A rejection counts only if no later one knows it, as upstream's union has it. */
export function firstOf(authenticators: readonly Authenticator[], anonymous: Anonymous): Authenticator {
  const from = (index: number, credentials: Credentials, fallback: Identity): Identity | Promise<Identity> => {
    for (let i = index; i < authenticators.length; i++) {
      const found = authenticators[i]?.(credentials)
      if (found instanceof Promise)
        return found.then(later => (later === undefined || later === 'rejected' ? from(i + 1, credentials, later ?? fallback) : later))
      if (found === 'rejected') fallback = found
      else if (found !== undefined) return found
    }
    return fallback
  }
  return credentials => from(0, credentials, isAnonymous(anonymous, credentials.path) ? ANONYMOUS : undefined)
}
