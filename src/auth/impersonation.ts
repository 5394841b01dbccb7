import type { IncomingHttpHeaders } from 'node:http'
import type { Authorizer } from '../meta/authorizer.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import { badRequestError } from '../meta/status.ts'
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './authn/authenticator.ts'
import { forbidden } from './authz/forbidden.ts'

const EXTRA = 'impersonate-extra-'

/** Whether the request asks to be made by someone else. */
export function asksImpersonation(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true
  return false
}

interface Asked {
  readonly kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID'
  readonly name: string
  readonly namespace: string
  readonly extraKey: string
}

/**
 * The user that the request asks to act as, if its own user may impersonate each part of it
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation). Throws 400 or 403.
 */
export async function impersonate(
  user: User,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  authorizer: Authorizer,
  signal: AbortSignal,
): Promise<User> {
  const asked = read(headers, rawHeaders)
  for (const part of asked) {
    const info = infoOf(part)
    const { decision, reason } = await authorizer.authorize(user, info, signal)
    if (decision !== 'allow') throw forbidden(user, info, reason)
  }
  return assemble(asked)
}

function read(headers: IncomingHttpHeaders, rawHeaders: readonly string[]): Asked[] {
  const asked: Asked[] = []
  const add = (kind: Asked['kind'], name: string, rest: { namespace?: string; extraKey?: string } = {}): void => {
    asked.push({ kind, name, namespace: rest.namespace ?? '', extraKey: rest.extraKey ?? '' })
  }
  const name = textOf(headers['impersonate-user'])
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name)
  if (account !== null) add('ServiceAccount', account[2] ?? '', { namespace: account[1] ?? '' })
  else if (name !== '') add('User', name)
  // Node joins repeated headers with commas, which group names may contain: the raw ones are read.
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = (rawHeaders[i] ?? '').toLowerCase()
    const value = rawHeaders[i + 1] ?? ''
    if (header === 'impersonate-group') add('Group', value)
    else if (header.startsWith(EXTRA)) add('UserExtra', value, { extraKey: unescapeKey(header.slice(EXTRA.length)) })
  }
  const uid = textOf(headers['impersonate-uid'])
  if (uid !== '') add('UID', uid)
  if (asked.length > 0 && name === '')
    throw badRequestError(`requested ${JSON.stringify(asked.map(({ kind, name }) => ({ kind, name })))} without impersonating a user`)
  return asked
}

const textOf = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''))

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const RESOURCES: Readonly<Record<Asked['kind'], string>> = {
  User: 'users',
  ServiceAccount: 'serviceaccounts',
  Group: 'groups',
  UserExtra: 'userextras',
  UID: 'uids',
}

function infoOf({ kind, name, namespace, extraKey }: Asked): RequestInfo {
  const inAuthentication = kind === 'UserExtra' || kind === 'UID'
  return {
    path: '',
    isResource: true,
    verb: 'impersonate',
    apiPrefix: inAuthentication ? 'apis' : 'api',
    group: inAuthentication ? 'authentication.k8s.io' : '',
    version: 'v1',
    namespace,
    resource: RESOURCES[kind],
    subresource: extraKey,
    name,
    parts: [],
  }
}

function assemble(asked: readonly Asked[]): User {
  let name = ''
  let uid = ''
  const groups: string[] = []
  const extra = new Map<string, string[]>()
  const namesGroups = asked.some(({ kind }) => kind === 'Group')
  for (const part of asked) {
    if (part.kind === 'User') name = part.name
    else if (part.kind === 'Group') groups.push(part.name)
    else if (part.kind === 'UID') uid = part.name
    else if (part.kind === 'UserExtra') extra.set(part.extraKey, [...(extra.get(part.extraKey) ?? []), part.name])
    else {
      name = `system:serviceaccount:${part.namespace}:${part.name}`
      if (!namesGroups) groups.push('system:serviceaccounts', `system:serviceaccounts:${part.namespace}`)
    }
  }
  if (name === ANONYMOUS.name) {
    if (!groups.includes(UNAUTHENTICATED)) groups.push(UNAUTHENTICATED)
  } else if (!groups.includes(AUTHENTICATED) && !groups.includes(UNAUTHENTICATED)) groups.push(AUTHENTICATED)
  return { name, groups, ...(uid !== '' && { uid }), ...(extra.size > 0 && { extra: Object.fromEntries(extra) }) }
}
