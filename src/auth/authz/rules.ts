import { matchesTrailingStar } from '../../lib/trailing-star.ts'
import type { AuthorizationDecision, Authorizer } from '../../meta/authorizer.ts'
import type { RequestAttributes, User } from '../../meta/context.ts'
import { hasMembers } from '../../meta/equal.ts'

/**
 * Allows requests that match all of its lists. `*` matches everything. An absent list matches nothing if it selects
 * subjects or requests, and everything if it narrows the rule (`namespaces`, `resourceNames`).
 */
export interface AuthorizationRule {
  /** At least one of `users` and `groups` must match the user. */
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
  /** Verbs in lower case, or `*`. */
  readonly verbs: readonly string[]
  /** Required together with `resources`, unless `nonResourceURLs` is present. The core group is the empty string. */
  readonly apiGroups?: readonly string[]
  /** Such as `pods`, `pods/status`, `*\/status` or `*`. */
  readonly resources?: readonly string[]
  /** Optional. Names of objects. A request without a name, such as a list, matches only `*`. */
  readonly resourceNames?: readonly string[]
  /** Optional. Default: every namespace and cluster-scoped resources. */
  readonly namespaces?: readonly string[]
  /** Such as `/metrics` or `/openapi/*`. */
  readonly nonResourceURLs?: readonly string[]
}

/** Another mode may allow the request: rules never deny. */
const NO_OPINION: AuthorizationDecision = { decision: 'no opinion', reason: '' }

/** Allows requests that a rule matches. No opinion otherwise. */
export const rulesAuthorizer = (rules: readonly AuthorizationRule[]): Authorizer => ({
  async authorize(user, info) {
    const found = rules.findIndex(rule => ruleCovers(rule, user, info))
    return found < 0 ? NO_OPINION : { decision: 'allow', reason: '', by: 'Rules', rule: found + 1 }
  },
  rulesFor(user, namespace) {
    const mine = rules.filter(rule => isFor(rule, user))
    return {
      resourceRules: mine.flatMap(({ verbs, apiGroups, resources, resourceNames, namespaces }) =>
        resources && (namespaces === undefined || names(namespaces, namespace))
          ? [
              {
                verbs: [...verbs],
                ...(apiGroups && { apiGroups: [...apiGroups] }),
                resources: [...resources],
                ...(resourceNames && { resourceNames: [...resourceNames] }),
              },
            ]
          : [],
      ),
      nonResourceRules: mine.flatMap(({ verbs, nonResourceURLs }) =>
        nonResourceURLs ? [{ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }] : [],
      ),
      incomplete: false,
      errors: [],
    }
  },
})

const isFor = (rule: AuthorizationRule, user: User): boolean =>
  names(rule.users, user.name) || user.groups.some(group => names(rule.groups, group))

/** Whether all lists of the rule match the request. */
function ruleCovers(rule: AuthorizationRule, user: User, info: RequestAttributes): boolean {
  if (!isFor(rule, user)) return false
  if (!names(rule.verbs, info.verb)) return false
  if (!info.isResource) return rule.nonResourceURLs?.some(url => matchesTrailingStar(url, info.path)) ?? false
  return (
    names(rule.apiGroups, info.group) &&
    (rule.resources?.some(resource => matchesResource(resource, info)) ?? false) &&
    (rule.resourceNames === undefined || names(rule.resourceNames, info.name)) &&
    (rule.namespaces === undefined || names(rule.namespaces, info.namespace))
  )
}

const names = (list: readonly string[] | undefined, value: string): boolean => list?.some(one => one === '*' || one === value) ?? false

/** Whether a pattern matches. `pods` does not match the subresources of pods, `*` does. */
function matchesResource(resource: string, info: RequestAttributes): boolean {
  if (resource === '*') return true
  if (info.subresource === '') return resource === info.resource
  return resource === `${info.resource}/${info.subresource}` || resource === `*/${info.subresource}`
}

/** Members of a rule. Others are errors, so that a misspelt one does not widen the rule. */
const LISTS = ['users', 'groups', 'verbs', 'apiGroups', 'resources', 'resourceNames', 'namespaces', 'nonResourceURLs'] as const

/**
 * Parses the content of `--authorization-rules-file`, `{ rules: […] }` as parsed from JSON or YAML. Throws an Error
 * that names the path.
 */
export function parseRules(value: unknown): AuthorizationRule[] {
  const list = hasMembers(value) ? value.rules : undefined
  if (!Array.isArray(list)) throw new Error('rules: must be a list')
  return list.map((entry: unknown, i) => {
    const path = `rules[${i}]`
    if (!hasMembers(entry)) throw new Error(`${path}: must be an object`)
    for (const name of Object.keys(entry))
      if (!LISTS.some(known => known === name)) throw new Error(`${path}.${name}: unknown field; known are ${LISTS.join(', ')}`)
    const rule: { [name in (typeof LISTS)[number]]?: string[] } = {}
    for (const name of LISTS) {
      const strings = entry[name]
      if (strings === undefined) continue
      if (!Array.isArray(strings) || !strings.every(s => typeof s === 'string'))
        throw new Error(`${path}.${name}: must be a list of strings`)
      rule[name] = strings
    }
    if (rule.verbs === undefined) throw new Error(`${path}.verbs: required`)
    if (rule.users === undefined && rule.groups === undefined) throw new Error(`${path}: names no users and no groups`)
    if (rule.nonResourceURLs === undefined && (rule.apiGroups === undefined || rule.resources === undefined))
      throw new Error(`${path}: names neither apiGroups and resources nor nonResourceURLs`)
    return { ...rule, verbs: rule.verbs }
  })
}
