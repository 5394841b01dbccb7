import type { NonResourceRule, ResourceRule } from '../../api/authorization/v1.types.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { trimEndOf } from '../../lib/trim.ts'
import type { AuthorizationDecision, Authorizer } from '../../meta/authorizer.ts'
import type { RequestAttributes, User } from '../../meta/context.ts'
import { hasMembers } from '../../meta/equal.ts'
import { AUTHENTICATED } from '../authn/authenticator.ts'

/** A line of a policy file, as v1beta1. A policy without user and group matches no request. */
export interface AbacPolicy {
  /** Name, or `*`. If `group` is set as well, both must match. */
  readonly user: string
  /** Name, or `*`. */
  readonly group: string
  /** Whether only get, list and watch are allowed. */
  readonly readonly: boolean
  /** Name, or `*`. Empty matches the core group. */
  readonly apiGroup: string
  /** Plural name, or `*`. Subresources are not distinguished. */
  readonly resource: string
  /** Name, or `*`. Empty matches cluster-scoped resources. */
  readonly namespace: string
  /** Path, `*`, or a prefix followed by `*`. */
  readonly nonResourcePath: string
  /** Line number in the file, from 1. */
  readonly line?: number
}

const GROUP = 'abac.authorization.kubernetes.io'
/** Maximum line length, as Go's bufio.Scanner. */
const LONGEST_LINE = 64 * 1024

/** Another mode may allow the request: ABAC never denies. */
const NO_OPINION: AuthorizationDecision = { decision: 'no opinion', reason: 'No policy matched.' }
const ALL = '*'

/** Allows a request if a policy matches it. https://kubernetes.io/docs/reference/access-authn-authz/abac/ */
export const abacAuthorizer = (policies: readonly AbacPolicy[]): Authorizer => ({
  async authorize(user, info) {
    const found = policies.find(policy => isFor(policy, user) && policyCovers(policy, info))
    return found === undefined
      ? NO_OPINION
      : { decision: 'allow', reason: '', by: 'ABAC', ...(found.line !== undefined && { rule: found.line }) }
  },
  rulesFor(user, namespace) {
    const resourceRules: ResourceRule[] = []
    const nonResourceRules: NonResourceRule[] = []
    for (const policy of policies) {
      if (!isFor(policy, user) || !isOrAll(policy.namespace, namespace)) continue
      const verbs = policy.readonly ? ['get', 'list', 'watch'] : [ALL]
      if (policy.resource !== '') resourceRules.push({ verbs, apiGroups: [policy.apiGroup], resources: [policy.resource] })
      if (policy.nonResourcePath !== '') nonResourceRules.push({ verbs, nonResourceURLs: [policy.nonResourcePath] })
    }
    return { resourceRules, nonResourceRules, incomplete: false, errors: [] }
  },
})

const isOrAll = (pattern: string, value: string): boolean => pattern === ALL || pattern === value

/** Whether the policy applies to the user. If both user and group are set, both must match. */
function isFor({ user, group }: AbacPolicy, { name, groups }: User): boolean {
  if (user === '' && group === '') return false
  return (user === '' || isOrAll(user, name)) && (group === '' || group === ALL || groups.includes(group))
}

const isReadOnly = ({ verb }: RequestAttributes): boolean => verb === 'get' || verb === 'list' || verb === 'watch'

/** Whether the policy covers the operation. A request for a resource is not matched by `nonResourcePath`. */
function policyCovers(policy: AbacPolicy, info: RequestAttributes): boolean {
  if (policy.readonly && !isReadOnly(info)) return false
  if (info.isResource)
    return isOrAll(policy.namespace, info.namespace) && isOrAll(policy.resource, info.resource) && isOrAll(policy.apiGroup, info.group)
  const path = policy.nonResourcePath
  return isOrAll(path, info.path) || (path.endsWith(ALL) && info.path.startsWith(trimEndOf(path, '*')))
}

/**
 * Parses the file of `--authorization-policy-file`: one JSON object per line; `#` starts a comment. Throws an Error
 * that names the line. @param unversioned called with the number of lines without apiVersion.
 */
export function parsePolicies(text: string, file: string, unversioned: (lines: number) => void = () => {}): AbacPolicy[] {
  const policies: AbacPolicy[] = []
  let old = 0
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.length > LONGEST_LINE) throw new Error(`error reading policy file ${file}: bufio.Scanner: token too long`)
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    try {
      const object = parsePolicyLine(line)
      const isOld = object.apiVersion === undefined || object.kind === undefined
      if (isOld) old++
      policies.push({ ...policyOf(object, isOld), line: index + 1 })
    } catch (error) {
      throw new Error(`error reading policy file ${file}, line ${index + 1}: ${line}: ${errorMessage(error)}`)
    }
  }
  if (old > 0) unversioned(old)
  return policies
}

/** Members of a line, whose types are not checked yet. */
type PolicyMembers = Readonly<Record<string, unknown>>
/** Parses a line of the file. Throws an Error with upstream's message. */
function parsePolicyLine(line: string): PolicyMembers {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${errorMessage(error)}`)
  }
  if (!hasMembers(value))
    throw new Error(`couldn't get version/kind; json parse error: json: cannot unmarshal ${typeNameOf(value)} into Go value of type struct`)
  return value
}

/** Converts a policy of any version. Throws an Error with upstream's message. */
function policyOf(object: PolicyMembers, isOld: boolean): AbacPolicy {
  if (isOld) return fromOld(object)
  const { apiVersion, kind } = object
  if (kind !== 'Policy' || (apiVersion !== `${GROUP}/v0` && apiVersion !== `${GROUP}/v1beta1`))
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  if (apiVersion === `${GROUP}/v0`) return fromOld(object)
  const spec = object.spec ?? {}
  if (!hasMembers(spec))
    throw new Error(`json: cannot unmarshal ${typeNameOf(spec)} into Go struct field Policy.spec of type v1beta1.PolicySpec`)
  const policy = decodePolicy(spec, 'PolicySpec.spec.')
  // `*` matches authenticated users only.
  return policy.user === ALL || policy.group === ALL ? { ...policy, user: '', group: AUTHENTICATED } : policy
}

/** Converts a policy without version, in which absent fields match everything. */
function fromOld(object: PolicyMembers): AbacPolicy {
  const { user, group, readonly, namespace, resource } = decodePolicy(object, 'Policy.')
  const isAnyone = (user === '' && group === '') || user === ALL || group === ALL
  return {
    user: isAnyone ? '' : user,
    group: isAnyone ? AUTHENTICATED : group,
    readonly,
    apiGroup: ALL,
    namespace: namespace || ALL,
    resource: resource || ALL,
    nonResourcePath: namespace === '' && resource === '' ? ALL : '',
  }
}

/** Decodes the members of a policy. Absent ones are empty. */
function decodePolicy(object: PolicyMembers, path: string): AbacPolicy {
  const text = (name: string): string => {
    const value = object[name] ?? ''
    if (typeof value !== 'string')
      throw new Error(`json: cannot unmarshal ${typeNameOf(value)} into Go struct field ${path}${name} of type string`)
    return value
  }
  const readonly = object.readonly ?? false
  if (typeof readonly !== 'boolean')
    throw new Error(`json: cannot unmarshal ${typeNameOf(readonly)} into Go struct field ${path}readonly of type bool`)
  return {
    user: text('user'),
    group: text('group'),
    readonly,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: text('nonResourcePath'),
  }
}

const typeNameOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : value === null ? 'null' : typeof value
