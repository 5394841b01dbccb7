import { aggregate } from '../lib/aggregate.ts'
import { quote } from '../lib/go-quote.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import { type Authorizer, MASTERS } from '../meta/authorizer.ts'
import type { RequestAttributes, User } from '../meta/context.ts'
import { fieldErrorText, invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { isDns1123Subdomain, isDomainPrefixedPath } from '../meta/names.ts'
import { resourceAttributes } from '../meta/request-attributes.ts'
import { badRequestError, isStatusError, StatusError } from '../meta/status.ts'
import { serviceAccountOf } from './authn/service-account/claims.ts'
import { forbidden } from './authz/forbidden.ts'
import { type Asked, assemble, impersonateParts, namesUser, readAsked } from './impersonation.ts'

/** As whom a request acts. */
export interface Impersonated {
  readonly user: User
  /** The verb of the mode that has allowed it, for the audit log. Absent where the right to `impersonate` did, and where nobody is impersonated. */
  readonly constraint?: string
}

type Mode = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info'

/** Groups or extra values from this number on are asked for at once before they are asked for one by one. */
const MANY = 4
const NODE_PREFIX = 'system:node:'
const NODES_GROUP = 'system:nodes'
const NODE_NAME = 'authentication.kubernetes.io/node-name'
const NODE_KEYS = 'authentication.kubernetes.io/associated-node-keys'

/**
 * The user that the request asks to act as. Its own user needs, of the mode that fits that user, a right to impersonate it (`impersonate:user-info`) and one to do this very thing as
 * somebody else (`impersonate-on:user-info:list`), or the right to `impersonate` of before, which suffices for everything (KEP-5284). Throws 403, of the mode that fits best.
 */
export async function impersonateConstrained(
  user: User,
  info: RequestAttributes,
  rawHeaders: readonly string[],
  authorizer: Authorizer,
  signal: AbortSignal,
): Promise<Impersonated> {
  const asked = readAsked(rawHeaders)
  if (asked.length === 0) return { user }
  if (!namesUser(asked)) throw badRequestError(`requested ${printWanted(asked)} without impersonating a user name`)
  let first: StatusError | undefined
  const attempt = async (work: () => Promise<User>): Promise<User | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StatusError && isStatusError(error, 'Forbidden'))) throw error
      first ??= error
      return undefined
    }
  }
  for (const mode of modesOf(asked, user)) {
    const found = await attempt(() => new ModeCheck(mode, user, authorizer, signal).impersonate(asked, info))
    if (found) return { user: found, constraint: `impersonate:${mode}` }
  }
  const found = await attempt(() => impersonateParts(user, asked, authorizer, signal))
  if (found) return { user: found }
  throw first
}

/** The modes that fit, the narrowest first. Of nodes and service accounts nothing but the name may be asked for. */
function modesOf(asked: readonly Asked[], requester: User): Mode[] {
  const [part, ...more] = asked
  const node = part && nodeOf(part)
  const nameAlone = more.length === 0
  if (node !== undefined) {
    if (!nameAlone) return []
    return serviceAccountOf(requester.name) && onlyOf(requester.extra?.[NODE_NAME]) === node ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node']
  }
  if (part?.kind === 'ServiceAccount') return nameAlone ? ['serviceaccount'] : []
  return ['user-info']
}

const onlyOf = (values: readonly string[] | undefined): string | undefined => (values?.length === 1 ? values[0] : undefined)

/** The node whose kubelet the user is. */
function nodeOf({ kind, name }: Asked): string | undefined {
  const node = kind === 'User' && name.startsWith(NODE_PREFIX) ? name.slice(NODE_PREFIX.length) : ''
  return node !== '' && isDns1123Subdomain(node).length === 0 ? node : undefined
}

/** What one mode asks the authorizer. Each method throws 403. */
class ModeCheck {
  private readonly mode: Mode
  private readonly requester: User
  private readonly authorizer: Authorizer
  private readonly signal: AbortSignal

  constructor(mode: Mode, user: User, authorizer: Authorizer, signal: AbortSignal) {
    this.mode = mode
    // The authorizer sees that a service account is on the node, and not which node that is.
    this.requester = mode === 'associated-node' ? { ...user, extra: { [NODE_KEYS]: Object.keys(user.extra ?? {}).sort() } } : user
    this.authorizer = authorizer
    this.signal = signal
  }

  async impersonate(asked: readonly Asked[], info: RequestAttributes): Promise<User> {
    await this.need({ ...info, verb: `impersonate-on:${this.mode}:${info.verb}` })
    const [name, ...parts] = asked
    if (name) await this.need(this.nameAttributes(name))
    const of = (kind: Asked['kind']): Asked[] => parts.filter(part => part.kind === kind)
    for (const uid of of('UID')) await this.need(this.attributes('uids', uid.name))
    await this.checkGroups(of('Group'))
    await this.checkExtras(of('UserExtra'))
    const user = assemble(asked)
    return name && nodeOf(name) !== undefined ? { ...user, groups: [NODES_GROUP, ...user.groups] } : user
  }

  private nameAttributes(part: Asked): RequestAttributes {
    const node = nodeOf(part)
    if (node !== undefined) return this.attributes('nodes', this.mode === 'associated-node' ? '*' : node)
    return part.kind === 'ServiceAccount' ? this.attributes('serviceaccounts', part.name, { namespace: part.namespace }) : this.attributes('users', part.name)
  }

  /** The group of administrators cannot be impersonated in any mode. */
  private async checkGroups(groups: readonly Asked[]): Promise<void> {
    const names = groups.map(({ name }) => name)
    if (names.includes('')) throw forbidden(this.requester, this.attributes('groups', ''), 'impersonating the empty string group is not allowed')
    if (names.includes(MASTERS)) throw forbidden(this.requester, this.attributes('groups', MASTERS), `impersonating the ${MASTERS} group is not allowed`)
    if (names.length >= MANY && (await this.has(this.attributes('groups', '*')))) return
    for (const name of names) await this.need(this.attributes('groups', name))
  }

  private async checkExtras(extras: readonly Asked[]): Promise<void> {
    const fault = extras.map(extraFault).find(text => text !== undefined)
    if (fault !== undefined) throw forbidden(this.requester, this.attributes('userextras', ''), fault)
    if (extras.length >= MANY && (await this.has(this.attributes('userextras', '*', { subresource: '*' })))) return
    for (const { name, extraKey } of extras) await this.need(this.attributes('userextras', name, { subresource: extraKey }))
  }

  private attributes(resource: string, name: string, more: { namespace?: string; subresource?: string } = {}): RequestAttributes {
    return resourceAttributes({ verb: `impersonate:${this.mode}`, group: 'authentication.k8s.io', version: 'v1', resource, name, ...more })
  }

  private async has(asked: RequestAttributes): Promise<boolean> {
    return (await this.authorizer.authorize(this.requester, asked, this.signal)).decision === 'allow'
  }

  private async need(asked: RequestAttributes): Promise<void> {
    const { decision, reason } = await this.authorizer.authorize(this.requester, asked, this.signal)
    if (decision !== 'allow') throw forbidden(this.requester, asked, reason)
    if (turnIsSpent()) await nextTurn()
  }
}

/** What is wrong with an extra value or its key. */
function extraFault({ extraKey, name }: Asked): string | undefined {
  if (extraKey === '') return 'impersonating the empty string key in extra is not allowed'
  const faults = isDomainPrefixedPath(extraKey)
  if (faults.length > 0) {
    const path = fieldPath('extra', 'key')
    return `impersonating an invalid key in extra is not allowed: ${aggregate(faults.map(({ part, text }) => fieldErrorText(invalid(path, part, text))))}`
  }
  if (extraKey !== extraKey.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(extraKey)}`
  return name === '' ? 'impersonating the empty string value in extra is not allowed' : undefined
}

/** As Go prints a user.DefaultInfo without a name. */
function printWanted(asked: readonly Asked[]): string {
  const slice = (values: readonly string[]): string => (values.length === 0 ? '[]string(nil)' : `[]string{${values.map(quote).join(', ')}}`)
  const named = (kind: Asked['kind']): string[] => asked.filter(part => part.kind === kind).map(({ name }) => name)
  const extras = new Map<string, string[]>()
  for (const { kind, extraKey, name } of asked) if (kind === 'UserExtra') extras.set(extraKey, [...(extras.get(extraKey) ?? []), name])
  const extra = [...extras].map(([key, values]) => `${quote(key)}:${slice(values)}`).join(', ')
  return `&user.DefaultInfo{Name:"", UID:${quote(named('UID')[0] ?? '')}, Groups:${slice(named('Group'))}, Extra:map[string][]string${extra === '' ? '(nil)' : `{${extra}}`}}`
}
