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
import { assemble, type ImpersonatedPart, impersonateParts, namesUser, parseImpersonation } from './impersonation.ts'

/** Result of impersonation: the user that a request acts as. */
export interface Impersonated {
  readonly user: User
  /**
   * Optional. Verb that allowed the impersonation, for the audit log. Omitted for the legacy verb `impersonate`, and
   * without impersonation.
   */
  readonly constraint?: string
}

type Mode = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info'

/**
 * From this number of groups or extra values on, permission for all of them (`*`) is checked before the individual
 * ones.
 */
const MANY = 4
const NODE_PREFIX = 'system:node:'
const NODES_GROUP = 'system:nodes'
const NODE_NAME = 'authentication.kubernetes.io/node-name'
const NODE_KEYS = 'authentication.kubernetes.io/associated-node-keys'

/**
 * Returns the user that the request asks to impersonate. Its own user needs two permissions of a matching mode: to
 * impersonate that user (`impersonate:user-info`) and to perform this request on its behalf
 * (`impersonate-on:user-info:list`). The legacy verb `impersonate` allows everything (KEP-5284). Throws 403 for the
 * best matching mode.
 */
export async function impersonateConstrained(
  user: User,
  info: RequestAttributes,
  rawHeaders: readonly string[],
  authorizer: Authorizer,
  signal: AbortSignal,
): Promise<Impersonated> {
  const asked = parseImpersonation(rawHeaders)
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

/**
 * Returns the matching modes, narrowest first. Nodes and service accounts can be impersonated only by name, without
 * groups or extra.
 */
function modesOf(asked: readonly ImpersonatedPart[], requester: User): Mode[] {
  const [part, ...more] = asked
  const node = part && impersonatedNode(part)
  const nameAlone = more.length === 0
  if (node !== undefined) {
    if (!nameAlone) return []
    return serviceAccountOf(requester.name) && onlyOf(requester.extra?.[NODE_NAME]) === node
      ? ['associated-node', 'arbitrary-node']
      : ['arbitrary-node']
  }
  if (part?.kind === 'ServiceAccount') return nameAlone ? ['serviceaccount'] : []
  return ['user-info']
}

const onlyOf = (values: readonly string[] | undefined): string | undefined => (values?.length === 1 ? values[0] : undefined)

/** Node name if the part names a kubelet's user. */
function impersonatedNode({ kind, name }: ImpersonatedPart): string | undefined {
  const node = kind === 'User' && name.startsWith(NODE_PREFIX) ? name.slice(NODE_PREFIX.length) : ''
  return node !== '' && isDns1123Subdomain(node).length === 0 ? node : undefined
}

/** Authorization checks of one mode. Each method throws 403. */
class ModeCheck {
  readonly #mode: Mode
  readonly #requester: User
  readonly #authorizer: Authorizer
  readonly #signal: AbortSignal

  constructor(mode: Mode, user: User, authorizer: Authorizer, signal: AbortSignal) {
    this.#mode = mode
    // The authorizer sees that the service account is bound to the node, not to which node.
    this.#requester = mode === 'associated-node' ? { ...user, extra: { [NODE_KEYS]: Object.keys(user.extra ?? {}).sort() } } : user
    this.#authorizer = authorizer
    this.#signal = signal
  }

  /** Checks all permissions of the mode and returns the impersonated user. */
  async impersonate(asked: readonly ImpersonatedPart[], info: RequestAttributes): Promise<User> {
    await this.#need({ ...info, verb: `impersonate-on:${this.#mode}:${info.verb}` })
    const [name, ...parts] = asked
    if (name) await this.#need(this.#nameAttributes(name))
    const of = (kind: ImpersonatedPart['kind']): ImpersonatedPart[] => parts.filter(part => part.kind === kind)
    for (const uid of of('UID')) await this.#need(this.#attributes('uids', uid.name))
    await this.#checkGroups(of('Group'))
    await this.#checkExtras(of('UserExtra'))
    const user = assemble(asked)
    return name && impersonatedNode(name) !== undefined ? { ...user, groups: [NODES_GROUP, ...user.groups] } : user
  }

  #nameAttributes(part: ImpersonatedPart): RequestAttributes {
    const node = impersonatedNode(part)
    if (node !== undefined) return this.#attributes('nodes', this.#mode === 'associated-node' ? '*' : node)
    return part.kind === 'ServiceAccount'
      ? this.#attributes('serviceaccounts', part.name, { namespace: part.namespace })
      : this.#attributes('users', part.name)
  }

  /** Checks the groups. `system:masters` cannot be impersonated in any mode. */
  async #checkGroups(groups: readonly ImpersonatedPart[]): Promise<void> {
    const names = groups.map(({ name }) => name)
    if (names.includes(''))
      throw forbidden(this.#requester, this.#attributes('groups', ''), 'impersonating the empty string group is not allowed')
    if (names.includes(MASTERS))
      throw forbidden(this.#requester, this.#attributes('groups', MASTERS), `impersonating the ${MASTERS} group is not allowed`)
    if (names.length >= MANY && (await this.#has(this.#attributes('groups', '*')))) return
    for (const name of names) await this.#need(this.#attributes('groups', name))
  }

  async #checkExtras(extras: readonly ImpersonatedPart[]): Promise<void> {
    const fault = extras.map(extraFault).find(text => text !== undefined)
    if (fault !== undefined) throw forbidden(this.#requester, this.#attributes('userextras', ''), fault)
    if (extras.length >= MANY && (await this.#has(this.#attributes('userextras', '*', { subresource: '*' })))) return
    for (const { name, extraKey } of extras) await this.#need(this.#attributes('userextras', name, { subresource: extraKey }))
  }

  #attributes(resource: string, name: string, more: { namespace?: string; subresource?: string } = {}): RequestAttributes {
    return resourceAttributes({ verb: `impersonate:${this.#mode}`, group: 'authentication.k8s.io', version: 'v1', resource, name, ...more })
  }

  async #has(asked: RequestAttributes): Promise<boolean> {
    return (await this.#authorizer.authorize(this.#requester, asked, this.#signal)).decision === 'allow'
  }

  async #need(asked: RequestAttributes): Promise<void> {
    const { decision, reason } = await this.#authorizer.authorize(this.#requester, asked, this.#signal)
    if (decision !== 'allow') throw forbidden(this.#requester, asked, reason)
    if (turnIsSpent()) await nextTurn()
  }
}

/** Returns an error if the key or the value is not allowed. */
function extraFault({ extraKey, name }: ImpersonatedPart): string | undefined {
  if (extraKey === '') return 'impersonating the empty string key in extra is not allowed'
  const faults = isDomainPrefixedPath(extraKey)
  if (faults.length > 0) {
    const path = fieldPath('extra', 'key')
    return `impersonating an invalid key in extra is not allowed: ${aggregate(faults.map(({ part, text }) => fieldErrorText(invalid(path, part, text))))}`
  }
  if (extraKey !== extraKey.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(extraKey)}`
  return name === '' ? 'impersonating the empty string value in extra is not allowed' : undefined
}

/** Formats a user without name as Go's `%#v` prints user.DefaultInfo. */
function printWanted(asked: readonly ImpersonatedPart[]): string {
  const slice = (values: readonly string[]): string => (values.length === 0 ? '[]string(nil)' : `[]string{${values.map(quote).join(', ')}}`)
  const named = (kind: ImpersonatedPart['kind']): string[] => asked.filter(part => part.kind === kind).map(({ name }) => name)
  const extras = new Map<string, string[]>()
  for (const { kind, extraKey, name } of asked) if (kind === 'UserExtra') extras.set(extraKey, [...(extras.get(extraKey) ?? []), name])
  const extra = [...extras].map(([key, values]) => `${quote(key)}:${slice(values)}`).join(', ')
  return `&user.DefaultInfo{Name:"", UID:${quote(named('UID')[0] ?? '')}, Groups:${slice(named('Group'))}, Extra:map[string][]string${extra === '' ? '(nil)' : `{${extra}}`}}`
}
