import type { IncomingHttpHeaders } from 'node:http'
import { utf8Value } from '../lib/raw-fields.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { RequestAttributes, User } from '../meta/context.ts'
import { resourceAttributes } from '../meta/request-attributes.ts'
import { badRequestError } from '../meta/status.ts'
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './authn/authenticator.ts'
import { serviceAccountOf } from './authn/service-account/claims.ts'
import { forbidden } from './authz/forbidden.ts'
import { unescapeKey } from './extra-key.ts'

const EXTRA = 'impersonate-extra-'

/** Whether the request has impersonation headers. `impersonate` validates them. */
export function asksImpersonation(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true
  return false
}

/** One attribute of the user to impersonate. */
export interface ImpersonatedPart {
  readonly kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID'
  readonly name: string
  readonly namespace: string
  readonly extraKey: string
}

/**
 * Returns the user that the request asks to impersonate, if its own user may impersonate each attribute
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation). Returns the request's
 * own user if no known header is set. Throws 403, or the error from `faceless` if attributes are set without a user.
 */
export async function impersonate(
  user: User,
  rawHeaders: readonly string[],
  authorizer: Authorizer,
  signal: AbortSignal,
  faceless: (why: string) => Error = badRequestError,
): Promise<User> {
  const asked = parseImpersonation(rawHeaders)
  if (asked.length === 0) return user
  if (!namesUser(asked)) throw faceless(`requested [${asked.map(printReference).join(' ')}] without impersonating a user`)
  return impersonateParts(user, asked, authorizer, signal)
}

/** Whether a user is named. Other attributes cannot be impersonated alone. */
export const namesUser = (asked: readonly ImpersonatedPart[]): boolean =>
  asked.some(({ kind }) => kind === 'User' || kind === 'ServiceAccount')

/** Returns the impersonated user, if `user` may impersonate each attribute. Throws 403. */
export async function impersonateParts(
  user: User,
  asked: readonly ImpersonatedPart[],
  authorizer: Authorizer,
  signal: AbortSignal,
): Promise<User> {
  for (const part of asked) {
    const attributes = attributesOf(part)
    const { decision, reason } = await authorizer.authorize(user, attributes, signal)
    if (decision !== 'allow') throw forbidden(user, attributes, reason)
    if (turnIsSpent()) await nextTurn()
  }
  return assemble(asked)
}

/**
 * Parses the impersonation headers, in kube-apiserver's order. Reads raw headers, because Node joins repeated headers
 * with commas, which group names may contain.
 */
export function parseImpersonation(rawHeaders: readonly string[]): ImpersonatedPart[] {
  const values = impersonationHeaders(rawHeaders)
  const asked: ImpersonatedPart[] = []
  const add = (kind: ImpersonatedPart['kind'], name: string, rest: { namespace?: string; extraKey?: string } = {}): void => {
    asked.push({ kind, name, namespace: rest.namespace ?? '', extraKey: rest.extraKey ?? '' })
  }
  const user = values.get('impersonate-user')?.[0] ?? ''
  const account = serviceAccountOf(user)
  if (account) add('ServiceAccount', account.name, account)
  else if (user !== '') add('User', user)
  for (const group of values.get('impersonate-group') ?? []) add('Group', group)
  for (const [header, extras] of values)
    if (header.startsWith(EXTRA)) for (const value of extras) add('UserExtra', value, { extraKey: unescapeKey(header.slice(EXTRA.length)) })
  const uid = values.get('impersonate-uid')?.[0] ?? ''
  if (uid !== '') add('UID', uid)
  return asked
}

/** Header values by lower-case name, in the order received. */
function impersonationHeaders(rawHeaders: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    if (!name.startsWith('impersonate-')) continue
    const value = utf8Value(rawHeaders[i + 1] ?? '')
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return values
}

/**
 * Formats a part as Go prints a core/v1 ObjectReference: kind, namespace, name, uid, apiVersion, resourceVersion,
 * fieldPath.
 */
const printReference = ({ kind, namespace, name, extraKey }: ImpersonatedPart): string =>
  `{${[kind, namespace, name, '', isOfAuthentication(kind) ? `${AUTHENTICATION_GROUP}/v1` : '', '', extraKey].join(' ')}}`

const RESOURCES: Readonly<Record<ImpersonatedPart['kind'], string>> = {
  User: 'users',
  ServiceAccount: 'serviceaccounts',
  Group: 'groups',
  UserExtra: 'userextras',
  UID: 'uids',
}

const AUTHENTICATION_GROUP = 'authentication.k8s.io'
const isOfAuthentication = (kind: ImpersonatedPart['kind']): boolean => kind === 'UserExtra' || kind === 'UID'

function attributesOf({ kind, name, namespace, extraKey }: ImpersonatedPart): RequestAttributes {
  const group = isOfAuthentication(kind) ? AUTHENTICATION_GROUP : ''
  return resourceAttributes({
    verb: 'impersonate',
    group,
    version: 'v1',
    namespace,
    resource: RESOURCES[kind],
    subresource: extraKey,
    name,
  })
}

/** Builds the user from its attributes and adds implied groups. */
export function assemble(asked: readonly ImpersonatedPart[]): User {
  let name = ''
  let uid = ''
  const groups: string[] = []
  const extra = new Map<string, string[]>()
  const namesGroups = asked.some(({ kind }) => kind === 'Group')
  for (const part of asked) {
    if (part.kind === 'User') name = part.name
    else if (part.kind === 'Group') groups.push(part.name)
    else if (part.kind === 'UID') uid = part.name
    else if (part.kind === 'UserExtra') {
      const values = extra.get(part.extraKey)
      if (values) values.push(part.name)
      else extra.set(part.extraKey, [part.name])
    } else {
      name = `system:serviceaccount:${part.namespace}:${part.name}`
      if (!namesGroups) groups.push('system:serviceaccounts', `system:serviceaccounts:${part.namespace}`)
    }
  }
  if (name === ANONYMOUS.name) {
    if (!groups.includes(UNAUTHENTICATED)) groups.push(UNAUTHENTICATED)
  } else if (!groups.includes(AUTHENTICATED) && !groups.includes(UNAUTHENTICATED)) groups.push(AUTHENTICATED)
  return { name, groups, ...(uid !== '' && { uid }), ...(extra.size > 0 && { extra: Object.fromEntries(extra) }) }
}
